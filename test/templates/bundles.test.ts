import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { ADMINISTRATION } from '#infra/functions.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { readAssembly, Template } from '#infra/local/template.ts';

const { functions } = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://queues'));

/**
 * Largest minified bundle in bytes, because start time grows with size. The PDF's bundle contains fonts and a renderer.
 */
const LARGEST: Readonly<Record<string, number>> = {
  'get-health': 12_000,
  'get-simulation-pdf': 1_000_000,
  'get-simulation-comparison': 1_000_000,
};
const LARGEST_OF_ALL = 450_000;
/** One bundle for all functions of the administration: people wait for a first call now and then, partners never do. */
const ADMINISTRATION_BUNDLE = 770_000;

it.each(functions.map(({ operation, folder }) => [operation, folder]))(
  'the bundle of %s is within its size limit',
  (operation, folder) => {
    const usual = operation.startsWith(`${ADMINISTRATION}-`) ? ADMINISTRATION_BUNDLE : LARGEST_OF_ALL;
    expect(statSync(join(folder, 'index.mjs')).size).toBeLessThanOrEqual(LARGEST[operation] ?? usual);
  },
);

/** Names of schemas, and the functions that may bundle them. Loading a schema costs time even if nobody uses it. */
const BROUGHT_BY: Readonly<Record<string, readonly string[]>> = {
  LeadNovo: ['create-lead', 'get-lead', 'update-lead'],
  AnaliseNova: ['submit-analyses'],
  LeadConsultado: ['create-lead', 'get-lead', 'update-lead'],
};

it.each(Object.entries(BROUGHT_BY))('the schema %s is only in bundles of functions that use it', (schema, speaking) => {
  const own = functions.filter(({ operation }) => !operation.startsWith(`${ADMINISTRATION}-`));
  const bringing = own.filter(({ folder }) => readFileSync(join(folder, 'index.mjs'), 'utf8').includes(`"${schema}"`));
  expect(bringing.map(({ operation }) => operation).sort()).toEqual(speaking);
});

/** What sdk-trimmings.ts leaves out, by a word of it. An SDK that moves it to another file would bring it back. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'configuration files': 'AWS_CONFIG_FILE',
  'the log of inputs and outputs': 'loggerMiddleware',
  'web streams': 'ReadableStream',
};

it.each(Object.entries(LEFT_OUT))('no bundle contains %s of the SDK', (_, word) => {
  const bringing = functions.filter(({ folder }) => readFileSync(join(folder, 'index.mjs'), 'utf8').includes(word));
  expect(bringing.map(({ operation }) => operation)).toEqual([]);
});
