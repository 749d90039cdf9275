import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { ADMINISTRATION } from '../../../infra/functions.ts';
import { blueprintOf } from '../../../infra/local/blueprint.ts';
import { readAssembly, Template } from '../../../infra/local/template.ts';

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
