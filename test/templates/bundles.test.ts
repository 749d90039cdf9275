import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { ADMINISTRATION } from '#infra/functions.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { readAssembly, Template } from '#infra/local/template.ts';

const { functions } = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://queues'));

/** Largest bundle in bytes, minified: start time follows size. The PDF carries its fonts and their renderer. */
const LARGEST: Readonly<Record<string, number>> = {
  'get-health': 12_000,
  'get-simulation-pdf': 1_000_000,
  'get-simulation-comparison': 1_000_000,
};
const LARGEST_OF_ALL = 450_000;
/** One for all its functions: people wait for a first call now and then, partners never. */
const ADMINISTRATION_BUNDLE = 600_000;

it.each(functions.map(({ operation, folder }) => [operation, folder]))('%s is bundled small', (operation, folder) => {
  const usual = operation.startsWith(`${ADMINISTRATION}-`) ? ADMINISTRATION_BUNDLE : LARGEST_OF_ALL;
  expect(statSync(join(folder, 'index.mjs')).size).toBeLessThanOrEqual(LARGEST[operation] ?? usual);
});

/** Names of schemas, and which functions may bring them: a schema costs time where it is loaded, used or not. */
const BROUGHT_BY: Readonly<Record<string, readonly string[]>> = {
  LeadNovo: ['create-lead', 'get-lead', 'update-lead'],
  AnaliseNova: ['submit-analyses'],
  LeadConsultado: ['create-lead', 'get-lead', 'update-lead'],
};

it.each(Object.entries(BROUGHT_BY))('%s is in the bundles of those alone who speak of it', (schema, speaking) => {
  const own = functions.filter(({ operation }) => !operation.startsWith(`${ADMINISTRATION}-`));
  const bringing = own.filter(({ folder }) => readFileSync(join(folder, 'index.mjs'), 'utf8').includes(`"${schema}"`));
  expect(bringing.map(({ operation }) => operation).sort()).toEqual(speaking);
});

/** What the SDK's trimmings leave out, by a word of it: an SDK that keeps it in another file brings it back. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'configuration files': 'AWS_CONFIG_FILE',
  'the log of inputs and outputs': 'loggerMiddleware',
  'streams of the web': 'ReadableStream',
};

it.each(Object.entries(LEFT_OUT))('no bundle has %s', (_, word) => {
  const bringing = functions.filter(({ folder }) => readFileSync(join(folder, 'index.mjs'), 'utf8').includes(word));
  expect(bringing.map(({ operation }) => operation)).toEqual([]);
});
