import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ADMINISTRATION, ADMINISTRATION_FUNCTIONS, FUNCTIONS, PANEL } from './functions.ts';
import { plainBuiltins, sdkTrimmings } from './sdk-trimmings.ts';

// CommonJS dependencies inside an ES module: those that require Node's own modules need a `require`.
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

const PRIMED = 'primed:';

/**
 * Returns a plugin for entries whose names match `filter`. `contents` returns the module for a name; its imports start
 * at the top of the project.
 */
const entries = (name: string, filter: RegExp, contents: (entry: string) => string): Plugin => ({
  name,
  setup({ onResolve, onLoad, initialOptions: { absWorkingDir = process.cwd() } }) {
    onResolve({ filter }, ({ path }) => ({ path, namespace: name }));
    onLoad({ filter: /./, namespace: name }, ({ path }) => ({ contents: contents(path), resolveDir: absWorkingDir }));
  },
});

/**
 * Entry of a function that prepares its ports before the first call. Lambda's start of a container ends when this
 * module is loaded. Until then it has a whole processor, while the first call has only the function's share.
 */
const primedEntry = entries('primed-entry', new RegExp(`^${PRIMED}`), (entry) => {
  const file = entry.slice(PRIMED.length);
  return `import { handler } from './${file}';\nawait handler.prime();\nexport { handler };`;
});

/**
 * Entry of the administration's single bundle: the handlers of all its functions, each under the name that Lambda
 * calls.
 */
const administrationEntry = entries('administration-entry', new RegExp(`^${ADMINISTRATION}$`), () =>
  ADMINISTRATION_FUNCTIONS.map(({ handler, file }) => `export { handler as ${handler} } from './${file}';`).join('\n'),
);

/**
 * Stores the administration's OpenAPI document compressed, a tenth as long, under the name `deflated`, because all
 * functions of the administration load this bundle. The function that answers it decompresses it at its first call.
 */
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

/** How code is bundled for Lambda: one file that needs no other file. */
export const BUNDLING = {
  outExtension: { '.js': '.mjs' },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  alias: {
    // The reason is in that file.
    '@aws-sdk/credential-provider-node': './shared/runtime/lambda-credentials.ts',
    // Only operations that stream events import it. No operation of the table or of the secrets does.
    '@smithy/core/event-streams': 'node:events',
    // The WOFF2 decoder of the PDF's font reader: half a megabyte of dictionary, which TrueType fonts never need.
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
 * Bundles every function in one run of esbuild, and those of the administration into one bundle. Writes
 * `<folder>/code/<operation>/index.mjs` for Lambda. With `maps`, also writes `<folder>/maps/<operation>.mjs.map`, with
 * which people read stack traces. Returns a function that names the folder of an operation's code. Throws an Error if a
 * function has no file or does not compile.
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

/** Writes files that a function reads at run time into a new folder next to its code. */
export function putBeside(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(folder);
  for (const [file, content] of files) writeFileSync(join(folder, file), content);
}
