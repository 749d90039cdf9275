import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Exchange } from '../../../shared/administration/fields.ts';
import { EXCHANGES, wholeBody } from '../../../shared/administration/operations.ts';
import type { AdministrationRoute } from '../../../shared/administration/route.ts';
import { ADMINISTRATION_ROUTES } from '../../../shared/administration/routes.ts';

const exchangeOf = ({ operation }: (typeof ADMINISTRATION_ROUTES)[number]): Exchange => EXCHANGES[operation];
const parameters = ({ path }: Pick<AdministrationRoute, 'path'>) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

/** Whether the resource of one route in a policy (`*` for each parameter, which IAM lets match slashes) matches another. */
function covers(pattern: AdministrationRoute, route: AdministrationRoute): boolean {
  const text = pattern.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '.*');
  return pattern.method === route.method && new RegExp(`^${text}$`).test(route.path);
}

describe('the routes of the administration', () => {
  it('names each operation, and each method and path, once', () => {
    expect(new Set(ADMINISTRATION_ROUTES.map(({ operation }) => operation)).size).toBe(ADMINISTRATION_ROUTES.length);
    const addresses = ADMINISTRATION_ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(Object.keys(EXCHANGES).sort()).toEqual(ADMINISTRATION_ROUTES.map(({ operation }) => operation).sort());
  });

  it.each(ADMINISTRATION_ROUTES)('$operation: its pattern in a policy opens no other route', (route) => {
    const opened = ADMINISTRATION_ROUTES.filter((other) => covers(route, other));
    // A fixed path may lie below a parameter's only where whoever may call the one may call the other.
    expect(opened.filter(({ duties }) => route.duties.some((duty) => !duties.includes(duty)))).toEqual([]);
    expect(opened).toContain(route);
  });

  it.each(ADMINISTRATION_ROUTES)('$operation: its row and its schemas say the same', (route) => {
    const { params, query, body, preview, answer } = exchangeOf(route);
    expect(Object.keys(params?.shape ?? {})).toEqual(parameters(route));
    expect(body === undefined).toBe(route.method === 'GET');
    // What the operator's machine tells is no person's change.
    expect(route.audited).toBe(route.method !== 'GET' && !route.duties.includes('operator'));
    expect(preview !== undefined).toBe(route.dryRun === true);
    const sent = { ...query?.shape, ...body?.shape };
    expect('cursor' in sent).toBe(route.paged === true);
    expect('next_cursor' in answer.shape).toBe(route.paged === true);
    for (const field of route.confirm?.fields ?? []) {
      expect(field in { ...params?.shape, ...body?.shape }).toBe(true);
    }
    for (const added of ['reason', 'confirm', 'dry_run']) expect(body?.shape ?? {}).not.toHaveProperty(added);
  });

  it('leaves to the operator’s machine one route, which nobody else may call', () => {
    const its = ADMINISTRATION_ROUTES.filter(({ duties }) => duties.includes('operator'));
    expect(its).toMatchObject([
      { operation: 'record-outcomes', method: 'POST', path: '/resultados', duties: ['operator'] },
    ]);
  });

  it('carries a CPF in bodies alone', () => {
    for (const route of ADMINISTRATION_ROUTES) {
      const { params, query } = exchangeOf(route);
      expect(Object.keys({ ...params?.shape, ...query?.shape })).not.toContain('cpf');
    }
  });

  it.each(ADMINISTRATION_ROUTES)('$operation: its schemas can be written down as JSON Schema', (route) => {
    const exchange = exchangeOf(route);
    const { params, query, answer, preview } = exchange;
    for (const schema of [params, query, wholeBody(route, exchange), answer, preview]) {
      if (schema) expect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).type).toBe('object');
    }
  });
});
