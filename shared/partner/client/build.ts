import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// Builds the npm package into dist/: modules for `import`, and the client in dist/commonjs/ for `require`.

const FOLDER = import.meta.dirname;
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

for (const project of ['tsconfig.json', 'tsconfig.commonjs.json'])
  execFileSync(process.execPath, [compiler, '-p', project], { cwd: FOLDER, stdio: 'inherit' });

// The package says that its .js files are modules. This file says that those of its folder are not.
writeFileSync(join(FOLDER, 'dist/commonjs/package.json'), '{ "type": "commonjs" }\n');

// The compiler rewrites './generated.ts' in the code, but not in the types. TypeScript 4 cannot import a .ts file.
for (const file of globSync('dist/**/*.d.ts', { cwd: FOLDER })) {
  const path = join(FOLDER, file);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"));
}
