import { beforeAll, describe, expect, it } from 'vitest';
import * as routes from '#shared/contract/routes.ts';
import { createUnit, listUnits } from '#shared/table/partners/partner-register.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { api, makeRecords, OPERATIONS, type Operation } from '../makers/api.ts';
import { bookDelivery } from '../makers/booked.ts';
import { countUnits } from '../makers/counting.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { analysisBody, leadBody, simulationBody, withdrawalBody } from '../makers/people.ts';

usePeers();
/** The CPF of the owner's lead. */
const KNOWN_CPF = '900.000.001-75';
/** Test CPFs of the sandbox, of which nobody has a lead. */
const OTHER_CPFS = ['900.000.002-56', '900.000.003-37', '900.000.004-18'];
let owner: MadePartner;
let ids: Record<'lead' | 'simulation' | 'opportunity' | 'analysis', number> & { event: string };

beforeAll(async () => {
  owner = await makePartner();
  const { eventId: event } = await bookDelivery(owner.partnerId, { unitId: owner.unitId, environment: 'sandbox' });
  ids = { ...(await makeRecords(owner.keys.sandbox, KNOWN_CPF)), event };
});

/** Every operation that takes an id in its path, with the id that its owner would send. */
const ID_TAKING: readonly [Operation, keyof typeof ids, object?][] = [
  ...OPERATIONS.flatMap((operation): [Operation, keyof typeof ids][] => {
    const { method, pathId } = routes[operation];
    return method === 'GET' && pathId !== 'none' ? [[operation, pathId]] : [];
  }),
  ['updateLead', 'lead', { renda: 1 }],
  ['withdrawConsent', 'lead', withdrawalBody()],
  ['getSimulation', 'opportunity'],
  ['resendDelivery', 'event'],
];

it('ID_TAKING has every operation that takes an id in its path', () => {
  const taking = OPERATIONS.filter((operation) => routes[operation].path.includes('{id}'));
  expect(taking.filter((operation) => !ID_TAKING.some(([tried]) => tried === operation))).toEqual([]);
});

/** Returns an id of this kind that belongs to nobody. */
function nobodys(kind: keyof typeof ids): number | string {
  const id = ids[kind];
  return typeof id === 'number' ? id + 4_096_000 : id.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
}

/** Returns the parts of an answer that do not depend on the call: without its request id and the caller's rate. */
const comparable = ({ status, text, headers, body }: Awaited<ReturnType<typeof api>>) => ({
  status,
  text: text.replace(body.request_id, 'id'),
  headers: { ...headers, 'x-request-id': 'id', ratelimit: '' },
});

describe.each(ID_TAKING)('%s with the id of a %s', (operation, kind, body) => {
  it('the owner of an id gets an answer with a 2xx status', async () => {
    const answer = await api(operation, { key: owner.keys.sandbox, id: ids[kind], ...(body && { body }) });
    expect(answer.status).toBeOneOf([200, 201, 202]);
  });

  it('another unit, environment or partner gets the same answer as for an id that nobody has', async () => {
    const foreigners = [
      await owner.addKey({ unitId: await owner.addUnit() }),
      owner.keys.producao,
      (await makePartner()).keys.sandbox,
    ];
    for (const key of foreigners) {
      const foreign = await api(operation, { key, id: ids[kind], ...(body && { body }) });
      const unknown = await api(operation, { key, id: nobodys(kind), ...(body && { body }) });
      expect(foreign.body.codigo).toBe('nao_encontrado');
      expect(comparable(foreign)).toEqual(comparable(unknown));
    }
  });
});

it.each([
  ['createSimulation', simulationBody],
  ['submitAnalyses', analysisBody],
] as const)('%s answers a foreign lead_id in its body as an unknown lead_id', async (operation, bodyFor) => {
  const key = owner.keys.producao;
  const foreign = await api(operation, { key, body: bodyFor(ids.lead), once: 'k' });
  const unknown = await api(operation, { key, body: bodyFor(ids.lead + 4_096_000), once: 'k' });
  expect(foreign.status).toBe(422);
  expect(foreign.body.codigo).toBe('lead_nao_encontrado');
  expect(comparable(foreign)).toEqual(comparable(unknown));
});

it('a lead of a CPF that another unit or environment knows is made by the same calls and answer as one of a new CPF', async () => {
  const counted = countUnits(tableClient());
  const foreigners = [
    await owner.addKey({ unitId: await owner.addUnit() }),
    owner.keys.producao,
    (await makePartner()).keys.sandbox,
  ];
  /**
   * Returns the answer without its id, and the calls of the table that it took. Updates count calls of the key and
   * encryptions, at moments of their own.
   */
  const made = async (key: string, cpf: string) => {
    counted.reset();
    const { status, body } = await api('createLead', { key, body: leadBody({ cpf }) });
    const { calls, read } = counted.units;
    return { status, body: { ...body, lead_id: 'id' }, calls: calls.filter((name) => name !== 'Update'), read };
  };
  for (const [at, key] of foreigners.entries()) {
    const unknown = await made(key, OTHER_CPFS[at]!);
    expect(await made(key, KNOWN_CPF)).toEqual(unknown);
    expect(unknown.status).toBe(201);
  }
});

it('createUnit refuses a number that another unit has, so that no key reaches that unit', async () => {
  const other = await makePartner();
  const forced = createUnit(other.partnerId, owner.unitId, 'Unidade Sul', Date.now());
  await expect(forced).rejects.toThrow(`the number of unit ${owner.unitId} is taken`);
  expect((await listUnits(other.partnerId)).map(({ id }) => id)).toEqual([other.unitId]);
  await expect(other.addKey({ unitId: owner.unitId })).rejects.toThrow(`has no unit ${owner.unitId}`);
  expect((await api('getLead', { key: other.keys.sandbox, id: ids.lead })).status).toBe(404);
});
