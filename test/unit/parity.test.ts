import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FUNCTIONS, PANEL } from '#infra/functions.ts';
import { PERMISSIONS } from '#infra/permissions.ts';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';
import { ROUTES } from '#shared/contract/routes.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** The specification's table of endpoints: number, method, path. */
const SPECIFICATION = [
  [1, 'POST', '/v1/leads'],
  [2, 'GET', '/v1/leads/{id}'],
  [3, 'PATCH', '/v1/leads/{id}'],
  [4, 'POST', '/v1/simulacoes'],
  [5, 'GET', '/v1/simulacoes/{id}'],
  [6, 'POST', '/v1/analises'],
  [7, 'GET', '/v1/analises/{id}/status'],
  [8, 'GET', '/v1/leads/{id}/analises'],
  [9, 'GET', '/v1/leads/{id}/consentimentos'],
  [10, 'GET', '/v1/webhooks'],
  [11, 'GET', '/v1/me'],
  [12, 'GET', '/health'],
] as const;

it('ROUTES has a route for each row of the specification, and no route claims another row', () => {
  const rows = ROUTES.map(({ specification, method, path }) => [specification, method, path]);
  const specified = rows.filter(([number]) => number !== undefined);
  expect(specified.sort(([a], [b]) => Number(a) - Number(b))).toEqual(SPECIFICATION);
});

it('FUNCTIONS has each operation once, and ROUTES each method and path once', () => {
  const operations = FUNCTIONS.map(({ operation }) => operation);
  expect(new Set(operations).size).toBe(operations.length);
  const addresses = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(addresses).size).toBe(addresses.length);
});

it('PERMISSIONS has a row for each function, and no row without a function', () => {
  expect(Object.keys(PERMISSIONS).sort()).toEqual(FUNCTIONS.map(({ operation }) => operation).sort());
});

it('functions/ has a file for each function and each operation of the administration, and no other file', () => {
  const files = readdirSync(join(PROJECT, 'functions'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('functions', name));
  const administration = ADMINISTRATION_OPERATIONS.map(
    ({ noun, operation }) => `functions/administration/${noun}/${operation}.ts`,
  );
  const all = new Set([...[...FUNCTIONS, PANEL].map(({ file }) => file), ...administration]);
  expect(files.sort()).toEqual([...all].sort());
});

it('no operation of the administration has the name of an operation of the partners', () => {
  const partners = ROUTES.map(({ operation }): string => operation);
  expect(ADMINISTRATION_OPERATIONS.filter(({ operation }) => partners.includes(operation))).toEqual([]);
});

it('pathId of a route says what the id in its path names, if the path has an id', () => {
  const named = ROUTES.filter(({ pathId }) => pathId !== 'none').map(({ operation }) => operation);
  expect(named).toEqual(ROUTES.filter(({ path }) => path.includes('{id}')).map(({ operation }) => operation));
});
