import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it.each([
  ['get-openapi', 'openapi.json'],
  ['get-openapi-30', 'openapi-3.0.json'],
])('%s carries the finished text and nothing that derives it', async (operation, document) => {
  const { metafile, outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../../functions/api/docs/${operation}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'silent',
  });
  const inputs = Object.keys(metafile.inputs).map((path) => path.split('/').at(-1));
  expect(inputs.sort()).toEqual(['cacheable-reply.ts', `${operation}.ts`, document, 'public-reply.ts', 'request.ts']);
  expect(outputFiles[0]!.contents.length).toBeLessThan(450_000);
});
