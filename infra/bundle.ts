import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ADMINISTRATION, ADMINISTRATION_FUNCTIONS, FUNCTIONS, PANEL } from './functions.ts';
import { plainBuiltins, sdkTrimmings } from './sdk-trimmings.ts';

// Bundled CommonJS packages load Node's modules with `require`, which an ES module lacks.
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

const PRIMED = 'primed:';

/** `contents` returns a module's source for its name. Imports in the source start at the top of the project. */
const entries = (name: string, filter: RegExp, contents: (entry: string) => string): Plugin => ({
  name,
  setup({ onResolve, onLoad, initialOptions: { absWorkingDir = process.cwd() } }) {
    onResolve({ filter }, ({ path }) => ({ path, namespace: name }));
    onLoad({ filter: /./, namespace: name }, ({ path }) => ({ contents: contents(path), resolveDir: absWorkingDir }));
  },
});

/** Lambda gives a container a whole processor only while it loads the module, so `prime` prepares the handler then. */
const primedEntry = entries('primed-entry', new RegExp(`^${PRIMED}`), (entry) => {
  const file = entry.slice(PRIMED.length);
  return `import { handler } from './${file}';\nawait handler.prime();\nexport { handler };`;
});

const administrationEntry = entries('administration-entry', new RegExp(`^${ADMINISTRATION}$`), () =>
  ADMINISTRATION_FUNCTIONS.map(({ handler, file }) => `export { handler as ${handler} } from './${file}';`).join('\n'),
);

/** Stores the OpenAPI document compressed, because all functions of the administration load this bundle. */
const deflatedDocument: Plugin = {
  name: 'deflated-document',
  setup({ onLoad }) {
    onLoad({ filter: /administration\/document\/openapi\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      const deflated = deflateRawSync(text).toString('base64');
      return { contents: JSON.stringify({ deflated }), loader: 'json' };
    });
  },
};

export const BUNDLING = {
  outExtension: { '.js': '.mjs' },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  alias: {
    '@aws-sdk/credential-provider-node': './shared/runtime/lambda-credentials.ts',
    // Only operations that stream events use this module. No operation of the table or of the secrets streams.
    '@smithy/core/event-streams': 'node:events',
    // brotli serves the WOFF2 decoder of the PDF's font reader: half a megabyte that TrueType fonts never need.
    'brotli/decompress.js': 'node:zlib',
  },
  plugins: [sdkTrimmings, plainBuiltins, primedEntry, administrationEntry, deflatedDocument],
  minify: true,
  splitting: false,
  sourcemap: 'external',
  banner: { js: REQUIRE },
  logLevel: 'silent',
} as const satisfies BuildOptions;

/**
 * Writes `<folder>/code/<operation>/index.mjs` for Lambda, and with `maps` also `<folder>/maps/<operation>.mjs.map`.
 * Returns a function that names the folder of an operation's code. Throws an Error if a function has no file or does
 * not compile.
 */
export async function bundle(
  folder: string,
  project: string,
  { maps }: { readonly maps: boolean },
): Promise<(operation: string) => string> {
  const { outputFiles } = await build({
    ...BUNDLING,
    sourcemap: maps ? BUNDLING.sourcemap : false,
    absWorkingDir: project,
    entryPoints: [
      ...[...FUNCTIONS, PANEL].map(({ operation, file, primed }) => ({
        in: primed ? `${PRIMED}${file}` : file,
        out: `${operation}/index`,
      })),
      { in: ADMINISTRATION, out: `${ADMINISTRATION}/index` },
    ],
    outdir: join(folder, 'code'),
  });
  rmSync(folder, { recursive: true, force: true });
  for (const { path, contents } of outputFiles) {
    const operation = basename(dirname(path));
    const target = path.endsWith('.map') ? join(folder, 'maps', `${operation}.mjs.map`) : path;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, contents);
  }
  return (operation) => join(folder, 'code', operation);
}

export function putBeside(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(folder);
  for (const [file, content] of files) writeFileSync(join(folder, file), content);
}
