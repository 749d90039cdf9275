import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import npm from './package.json' with { type: 'json' };
import { PACKAGES, SUMS } from './packages.ts';

// The archives have the same bytes on every machine, because partners' lock files hold an address and a hash.

const FOLDER = import.meta.dirname;
const own = (name: string) => readFileSync(join(FOLDER, name));

type Entry = readonly [path: string, content: Uint8Array];

/** Compiles for `import` and, in commonjs/, for `require`. */
function compiled(): Entry[] {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const out = mkdtempSync(join(tmpdir(), 'partner-credit-package-'));
  try {
    for (const [project, folder] of [
      ['tsconfig.json', out],
      ['tsconfig.commonjs.json', join(out, 'commonjs')],
    ] as const)
      execFileSync(process.execPath, [compiler, '-p', project, '--outDir', folder], { cwd: FOLDER, stdio: 'inherit' });
    return globSync('**/*.{js,d.ts}', { cwd: out }).map((path) => {
      const text = readFileSync(join(out, path), 'utf8');
      // The compiler rewrites './generated.ts' in the code, but not in the types. TypeScript 4 cannot import a .ts file.
      return [`dist/${path}`, Buffer.from(text.replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"))];
    });
  } finally {
    rmSync(out, { recursive: true });
  }
}

const byPath = ([a]: Entry, [b]: Entry) => (a < b ? -1 : 1);

/** Seconds since 1970 of every file in an archive, as `npm pack` sets them: zip has no earlier year than 1980. */
const MODIFIED = Date.parse('1985-10-26T08:15:00Z') / 1000;
const BLOCK = 512;

/** Returns a tar archive (POSIX ustar). */
function tar(entries: readonly Entry[]): Buffer {
  const parts = entries.flatMap(([path, content]) => {
    const header = Buffer.alloc(BLOCK);
    const octal = (value: number, at: number, length: number) =>
      header.write(value.toString(8).padStart(length - 1, '0'), at);
    header.write(path, 0);
    octal(0o644, 100, 8);
    octal(0, 108, 8);
    octal(0, 116, 8);
    octal(content.length, 124, 12);
    octal(MODIFIED, 136, 12);
    header.write(' '.repeat(8), 148);
    header.write('0', 156);
    header.write('ustar\u000000', 257);
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      148,
      7,
    );
    return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat(parts.concat(Buffer.alloc(2 * BLOCK)));
}

/** The archive has no compression, so no version of zlib changes its bytes. */
function zip(entries: readonly Entry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of entries) {
    const name = Buffer.from(path);
    // Version 2.0, names in UTF-8, no compression, 26 October 1985.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(((1985 - 1980) << 9) | (10 << 5) | 26, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), common, place, name);
    const file = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, name, content]);
    offset += file.length;
    files.push(file);
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, listed, end]);
}

function npmArchive(): Buffer {
  const about = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'].map((name): Entry => [name, own(name)]);
  // The package says that its .js files are modules. This file says that the .js files of its folder are not.
  const commonjs: Entry = ['dist/commonjs/package.json', Buffer.from('{ "type": "commonjs" }\n')];
  const entries = [commonjs, ...about, ...compiled()].map(([path, content]): Entry => [`package/${path}`, content]);
  return tar(entries.sort(byPath));
}

/** Source: PEP 427. The metadata are those of PEP 566 and 639. */
function wheel(): Buffer {
  const named = `credito_imobiliario-${npm.version}.dist-info`;
  const metadata = `Metadata-Version: 2.4
Name: ${npm.name}
Version: ${npm.version}
Summary: ${npm.description}
Maintainer-email: ${npm.bugs.email}
License-Expression: LicenseRef-Parceiros
License-File: LICENSE
Project-URL: Documentation, ${npm.homepage}
Keywords: ${npm.keywords.join(',')}
Classifier: Private :: Do Not Upload
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

${own('python/README.md')}`;
  const about = 'Wheel-Version: 1.0\nGenerator: credito-imobiliario\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const entries: Entry[] = [
    ['credito_imobiliario/__init__.py', own('python/credito_imobiliario/__init__.py')],
    ['credito_imobiliario/py.typed', own('python/credito_imobiliario/py.typed')],
    [`${named}/licenses/LICENSE`, own('LICENSE')],
    [`${named}/METADATA`, Buffer.from(metadata)],
    [`${named}/WHEEL`, Buffer.from(about)],
  ];
  const sums = entries.map(([path, content]) => {
    const hash = createHash('sha256').update(content).digest('base64url');
    return `${path},sha256=${hash},${content.length}\n`;
  });
  const record: Entry = [`${named}/RECORD`, Buffer.from(`${sums.join('')}${named}/RECORD,,\n`)];
  return zip([...entries, record]);
}

/** The npm archive is not compressed yet, because the compressed bytes depend on the processor. */
export const archives = (): ReadonlyMap<string, Buffer> =>
  new Map([
    [`${npm.name}-${npm.version}.tgz`, npmArchive()],
    [`credito_imobiliario-${npm.version}-py3-none-any.whl`, wheel()],
  ]);

/** Undefined if there is no such file. */
export function storedArchive(name: string): Buffer | undefined {
  const path = join(PACKAGES, name);
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  return name.endsWith('.tgz') ? gunzipSync(bytes) : bytes;
}

if (import.meta.main) {
  for (const [name, archive] of archives()) {
    if (storedArchive(name)?.equals(archive)) continue;
    writeFileSync(join(PACKAGES, name), name.endsWith('.tgz') ? gzipSync(archive, { level: 9 }) : archive);
    console.log(`shared/partner/client/packages/${name}`);
  }
  const names = readdirSync(PACKAGES).filter((name) => /\.(tgz|whl)$/.test(name));
  const lines = names.map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(PACKAGES, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  writeFileSync(SUMS, lines.sort().join(''));
}
