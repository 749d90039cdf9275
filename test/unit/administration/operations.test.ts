import { expect, it } from 'vitest';
import { APPROVABLE, approveApproval, refuseApproval } from '#shared/administration/approvals.ts';
import { DUTIES, type Operation } from '#shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS, operationNamed } from '#shared/administration/operations.ts';

const parameters = ({ path }: Pick<Operation, 'path'>) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

/**
 * Whether the resource of a route in a policy matches another route. It has `*` for each parameter, and IAM lets `*`
 * match slashes.
 */
function covers(pattern: Operation, route: Operation): boolean {
  const text = pattern.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '.*');
  return pattern.method === route.method && new RegExp(`^${text}$`).test(route.path);
}

it('each operation has its own name, its own method and path, and its own name in the panel', () => {
  const names = ADMINISTRATION_OPERATIONS.map(({ operation }) => operation);
  const addresses = ADMINISTRATION_OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  const portuguese = ADMINISTRATION_OPERATIONS.map((operation) => operation.portuguese);
  for (const all of [names, addresses, portuguese]) expect(new Set(all).size).toBe(all.length);
});

it.each(ADMINISTRATION_OPERATIONS)(
  'the pattern of $operation in a policy allows no route that its duties may not call',
  (route) => {
    const opened = ADMINISTRATION_OPERATIONS.filter((other) => covers(route, other));
    // A fixed path may be below a parameter's path only if everyone who may call the one may also call the other.
    expect(opened.filter(({ duties }) => route.duties.some((duty) => !duties.includes(duty)))).toEqual([]);
    expect(opened).toContain(route);
  },
);

it.each(ADMINISTRATION_OPERATIONS)('the address, the kind and the schemas of $operation agree', (operation) => {
  const { params, query, body, answer, method, audited, duties, paged, confirm } = operation;
  expect(Object.keys(params?.shape ?? {})).toEqual(parameters(operation));
  expect(body === undefined).toBe(method === 'GET');
  // A report of the operator's machine is no change by a person.
  expect(audited).toBe(method !== 'GET' && !duties.includes('operator'));
  expect('cursor' in { ...query?.shape, ...body?.shape }).toBe(paged);
  expect('next_cursor' in answer.shape).toBe(paged);
  for (const field of confirm?.fields ?? []) expect(field in { ...params?.shape, ...body?.shape }).toBe(true);
  for (const added of ['reason', 'confirm', 'dry_run']) expect(body?.shape ?? {}).not.toHaveProperty(added);
  // Paths and queries are in logs.
  expect(Object.keys({ ...params?.shape, ...query?.shape })).not.toContain('cpf');
});

it('the operator’s machine may call one route, which no person may call', () => {
  const its = ADMINISTRATION_OPERATIONS.filter(({ duties }) => duties.includes('operator'));
  expect(its).toMatchObject([
    { operation: 'record-outcomes', method: 'POST', path: '/resultados', duties: ['operator'] },
  ]);
});

it('the auditor may make each call that the audit does not note, and no other call', () => {
  const calls = ADMINISTRATION_OPERATIONS.filter(({ duties }) => !duties.includes('operator'));
  for (const { operation, audited, duties } of calls) expect(duties.includes('auditor'), operation).toBe(!audited);
});

it('each duty of people reads partners, units, the audit and the requests for approval', () => {
  const everyone = DUTIES.filter((duty) => duty !== 'operator');
  for (const operation of ['list-partners', 'show-partner', 'list-units', 'list-audit', 'list-approvals'] as const)
    expect(operationNamed(operation).duties, operation).toEqual(everyone);
});

it('the duties that may approve are the duties of the operations that need approval', () => {
  const alone = ADMINISTRATION_OPERATIONS.filter(({ approval }) => approval !== undefined);
  expect(alone.map(({ operation }) => operation)).toEqual(APPROVABLE.map(({ operation }) => operation));
  const deciders = new Set(alone.flatMap(({ duties }) => duties));
  for (const { duties } of [approveApproval, refuseApproval]) expect(new Set(duties)).toEqual(deciders);
});

it('find-leads and export-lead are the only reads that the audit notes', () => {
  const noted = ADMINISTRATION_OPERATIONS.filter(({ audited, changes }) => audited && !changes);
  expect(noted.map(({ operation }) => operation)).toEqual(['find-leads', 'export-lead']);
});

/** Operations whose calls name a person, by the number of the lead or by the CPF. Their answers tell who is known. */
const ABOUT_PEOPLE = ADMINISTRATION_OPERATIONS.filter(({ params, query, body }) => {
  const fields = { ...params?.shape, ...query?.shape, ...body?.shape };
  return 'cpf' in fields || 'lead_id' in fields;
});

it('each operation whose call names a person is noted in the audit, and so is its preview', () => {
  const names = ABOUT_PEOPLE.map(({ operation }) => operation);
  expect(names).toEqual(['find-leads', 'export-lead', 'correct-lead', 'withdraw-lead-consent', 'erase-lead']);
  for (const { audited, dryRun, notedPreview } of ABOUT_PEOPLE) {
    expect(audited).toBe(true);
    expect(dryRun).toBe(notedPreview === true);
  }
});
