import { expect, it } from 'vitest';
import { APPROVABLE, approveApproval, refuseApproval } from '#shared/administration/approvals.ts';
import type { Operation } from '#shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';

const parameters = ({ path }: Pick<Operation, 'path'>) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

/** Whether the resource of one route in a policy (`*` for each parameter, which IAM lets match slashes) matches another. */
function covers(pattern: Operation, route: Operation): boolean {
  const text = pattern.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '.*');
  return pattern.method === route.method && new RegExp(`^${text}$`).test(route.path);
}

it('the administration names each operation, each method and path, and each name in the panel once', () => {
  const names = ADMINISTRATION_OPERATIONS.map(({ operation }) => operation);
  const addresses = ADMINISTRATION_OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  const portuguese = ADMINISTRATION_OPERATIONS.map((operation) => operation.portuguese);
  for (const all of [names, addresses, portuguese]) expect(new Set(all).size).toBe(all.length);
});

it.each(ADMINISTRATION_OPERATIONS)('$operation: its pattern in a policy opens no other route', (route) => {
  const opened = ADMINISTRATION_OPERATIONS.filter((other) => covers(route, other));
  // A fixed path may lie below a parameter's only where whoever may call the one may call the other.
  expect(opened.filter(({ duties }) => route.duties.some((duty) => !duties.includes(duty)))).toEqual([]);
  expect(opened).toContain(route);
});

it.each(ADMINISTRATION_OPERATIONS)('$operation: its address, its kind and its schemas say the same', (operation) => {
  const { params, query, body, answer, method, audited, duties, paged, confirm } = operation;
  expect(Object.keys(params?.shape ?? {})).toEqual(parameters(operation));
  expect(body === undefined).toBe(method === 'GET');
  // What the operator's machine tells is no person's change.
  expect(audited).toBe(method !== 'GET' && !duties.includes('operator'));
  expect('cursor' in { ...query?.shape, ...body?.shape }).toBe(paged);
  expect('next_cursor' in answer.shape).toBe(paged);
  for (const field of confirm?.fields ?? []) expect(field in { ...params?.shape, ...body?.shape }).toBe(true);
  for (const added of ['reason', 'confirm', 'dry_run']) expect(body?.shape ?? {}).not.toHaveProperty(added);
  // A path and a query stand in logs.
  expect(Object.keys({ ...params?.shape, ...query?.shape })).not.toContain('cpf');
});

it('the administration leaves to the operator’s machine one route, which nobody else may call', () => {
  const its = ADMINISTRATION_OPERATIONS.filter(({ duties }) => duties.includes('operator'));
  expect(its).toMatchObject([
    { operation: 'record-outcomes', method: 'POST', path: '/resultados', duties: ['operator'] },
  ]);
});

it('the administration has another person approve what one may not do alone, of those who may do it', () => {
  const alone = ADMINISTRATION_OPERATIONS.filter(({ approval }) => approval !== undefined);
  expect(alone.map(({ operation }) => operation)).toEqual(APPROVABLE.map(({ operation }) => operation));
  const deciders = new Set(alone.flatMap(({ duties }) => duties));
  for (const { duties } of [approveApproval, refuseApproval]) expect(new Set(duties)).toEqual(deciders);
});

it('the administration notes two of those that read: they show a person', () => {
  const noted = ADMINISTRATION_OPERATIONS.filter(({ audited, changes }) => audited && !changes);
  expect(noted.map(({ operation }) => operation)).toEqual(['find-leads', 'export-lead']);
});
