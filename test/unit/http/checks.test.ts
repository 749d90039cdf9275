import { expect, expectTypeOf, it } from 'vitest';
import { getAccount, getLead, updateLead } from '#shared/contract/routes.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import type { Check } from '#shared/http/checks.ts';
import { authorize } from '#shared/http/partner/authorize.ts';
import type { PartnerCall } from '#shared/http/partner/call.ts';
import { type Admission, endpoint, readEndpoint } from '#shared/http/partner/endpoint.ts';
import { queryFields } from '#shared/http/partner/fields.ts';
import type { Makers } from '#shared/http/ports.ts';
import { makeCaller, memoryAuth, memoryRefusals } from '#test/makers/partner-call.ts';

const admission: Makers<Admission> = {
  auth: () => memoryAuth({ pmc_x: makeCaller }),
  refusals: memoryRefusals,
  clock: () => Date.now,
};

/** The work of a list, which its handler takes. */
type WorkOf<List> = List extends { handler: (work: infer Work) => unknown } ? Work : never;
/** The arguments of that work: the call and the ports. */
type CallOf<List> = WorkOf<List> extends (call: infer Call, ports: never) => unknown ? Call : never;
type PortsOf<List> = WorkOf<List> extends (call: never, ports: infer Ports) => unknown ? Ports : never;

// `npm run types` checks the types. The tests below only name what it checks.

it('the work of an endpoint sees `input` only after a check of fields', () => {
  const list = endpoint(getAccount, admission, {});
  expectTypeOf<CallOf<typeof list>>().not.toHaveProperty('input');
  const checked = endpoint(getAccount, admission, {}).use(queryFields(() => 7));
  expectTypeOf<CallOf<typeof checked>>().toHaveProperty('input').toEqualTypeOf<number>();
  expect(checked.handler).toBeTypeOf('function');
});

it('the check `authorize` is accepted only after `authenticate`, whose caller it needs', () => {
  const needsCaller = authorize(getAccount);
  expectTypeOf(needsCaller).toExtend<Check<PartnerCall & { readonly caller: Caller }, object, Admission>>();
  expectTypeOf(needsCaller).not.toExtend<Check<PartnerCall, object, Admission>>();
  expect(needsCaller.before).toBeTypeOf('function');
});

it('the work of an endpoint has the ports of admission and its own, and no others', () => {
  const list = endpoint(getAccount, admission, { size: () => 7 });
  expectTypeOf<PortsOf<typeof list>>().toHaveProperty('size').toEqualTypeOf<number>();
  expectTypeOf<PortsOf<typeof list>>().toHaveProperty('clock');
  expectTypeOf<PortsOf<typeof list>>().not.toHaveProperty('analyses');
  expect(list.handler).toBeTypeOf('function');
});

it('the id of a call has the type that its route names', () => {
  const none = endpoint(getAccount, admission, {});
  expectTypeOf<CallOf<typeof none>['id']>().toBeUndefined();
  const lead = endpoint(updateLead, admission, {});
  expectTypeOf<CallOf<typeof lead>['id']>().toExtend<number & { readonly __id: 'lead' }>();
  expect(lead.handler).toBeTypeOf('function');
});

it('the work of a GET of one thing gets the thing, decrypted', () => {
  const list = readEndpoint(getLead, admission, {}, async () => ({ open: async () => 'a lead' }));
  expectTypeOf<CallOf<typeof list>>().toHaveProperty('found').toEqualTypeOf<string>();
  expect(list.handler).toBeTypeOf('function');
});
