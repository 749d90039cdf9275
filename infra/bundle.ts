import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ADMINISTRATION, ADMINISTRATION_FUNCTIONS, FUNCTIONS, PANEL } from './functions.ts';
import { plainBuiltins, sdkTrimmings } from './sdk-trimmings.ts';

// CommonJS dependencies inside an ES module: those that call require for Node's own modules need one.
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

const PRIMED = 'primed:';

/** Entries whose names match: `contents` writes the module of a name, which imports from the top of the project. */
const entries = (name: string, filter: RegExp, contents: (entry: string) => string): Plugin => ({
  name,
  setup({ onResolve, onLoad, initialOptions: { absWorkingDir = process.cwd() } }) {
    onResolve({ filter }, ({ path }) => ({ path, namespace: name }));
    onLoad({ filter: /./, namespace: name }, ({ path }) => ({ contents: contents(path), resolveDir: absWorkingDir }));
  },
});

/**
 * The entry of a function that readies its ports: Lambda's start of a container ends when this module is loaded, and has
 * a whole processor where the first call has the function's share of one.
 */
const primedEntry = entries('primed-entry', new RegExp(`^${PRIMED}`), (entry) => {
  const file = entry.slice(PRIMED.length);
  return `import { handler } from './${file}';\nawait handler.prime();\nexport { handler };`;
});

/** The entry of the administration's one bundle: the handlers of all its functions, each under the name that Lambda calls. */
const administrationEntry = entries('administration-entry', new RegExp(`^${ADMINISTRATION}$`), () =>
  ADMINISTRATION_FUNCTIONS.map(({ handler, file }) => `export { handler as ${handler} } from './${file}';`).join('\n'),
);

/**
 * The administration's document lies deflated in the bundle that all its functions load, a tenth as long, under the name
 * `deflated`: the one that answers it opens it at its first call.
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

/** How code is bundled for Lambda: one file that needs nothing beside it. */
export const BUNDLING = {
  outExtension: { '.js': '.mjs' },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  alias: {
    // Why: see that file.
    '@aws-sdk/credential-provider-node': './shared/runtime/lambda-credentials.ts',
    // Imported only by an operation that streams events, and none of the table's or the secret's does.
    '@smithy/core/event-streams': 'node:events',
    // The WOFF2 decoder of the PDF's font reader: half a megabyte of dictionary, never called for fonts that are TrueType.
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
 * Bundles every function by one esbuild call, those of the administration as one: `<folder>/code/<operation>/index.mjs`, what Lambda gets, and
 * where `maps` are asked for `<folder>/maps/<operation>.mjs.map`, for reading stack traces. Gives the folder of an
 * operation's code. Throws where a function has no file or does not compile.
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

/** Puts files, by name, that a function reads at run time into a folder beside its code. */
export function putBeside(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(folder);
  for (const [file, content] of files) writeFileSync(join(folder, file), content);
}
