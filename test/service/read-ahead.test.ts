import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseApiKey } from '../../shared/domain/partners/api-key.ts';
import { revokeKey } from '../../shared/table/api-keys.ts';
import { api, type Operation } from '../makers/api.ts';
import { changeAuthEntry } from '../makers/auth-entry.ts';
import type { CallAnswer } from '../makers/call.ts';
import { type Interception, intercepted, interceptTable } from '../makers/intercepted.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody } from '../makers/people.ts';
import { beginMinute, holdClock, releaseClock } from '../makers/test-clock.ts';

const opened = vi.hoisted(() => ({ count: 0 }));
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  const createDecipheriv = (...input: Parameters<typeof crypto.createDecipheriv>) => {
    opened.count += 1;
    return crypto.createDecipheriv(...input);
  };
  return { ...crypto, createDecipheriv };
});

const peers = usePeers();
let partner: MadePartner;
let people = 0;
beforeAll(() => {
  holdClock();
  interceptTable();
});
afterAll(releaseClock);
beforeEach(async () => {
  // At a minute's turn a container's first call may take two tries.
  beginMinute();
  partner = await makePartner(120);
});

/** A lead, a simulation and an analysis of a key. */
async function records(key: string) {
  const cpf = cpfFrom(++people);
  const lead = Number((await api('createLead', { key, body: leadBody({ cpf }) })).body.lead_id);
  const simulated = await api('createSimulation', {
    key,
    body: { lead_id: lead, valor_imovel: 500000, bancos: ['itau'] },
  });
  const submitted = await api('submitAnalyses', {
    key,
    body: analysisBody(lead, { cpf }),
    headers: { 'idempotency-key': 'a' },
  });
  const simulation = simulated.body.resultado.resultados[0].simulacao_id as number;
  return { lead, simulation, analysis: submitted.body.analises[0].analise_id as number };
}

/** What is read by its id, and in how many reads: the documents also read the unit that presents them. */
const READS: readonly [Operation, keyof Awaited<ReturnType<typeof records>>, reads: number][] = [
  ['getLead', 'lead', 1],
  ['getSimulation', 'simulation', 1],
  ['getSimulationInstalments', 'simulation', 1],
  ['getSimulationPdf', 'simulation', 2],
  ['getSimulationComparison', 'simulation', 2],
  ['getAnalysisStatus', 'analysis', 1],
];

const GATE = 'table UpdateItemCommand';
const READ = 'table GetItemCommand';
const SHORT: Readonly<Record<string, string>> = { [GATE]: 'gate', [READ]: 'read' };

/** The calls of a run as they begin and end, in this order, and what came of the run. */
async function recorded(run: () => Promise<CallAnswer>, also?: Interception['around']) {
  const events: string[] = [];
  const around: Interception['around'] = async (name, call) => {
    events.push(`${SHORT[name] ?? name} begins`);
    try {
      return await (also ? also(name, call) : call());
    } finally {
      events.push(`${SHORT[name] ?? name} ends`);
    }
  };
  const answer = await intercepted({ around }, run);
  return { status: answer.status, events, answer };
}

const times = (count: number, event: string) => Array.from({ length: count }, () => event);
/** The key is asked about; then so many reads are under way at once. */
const sequential = (reads: number) => [
  'gate begins',
  'gate ends',
  ...times(reads, 'read begins'),
  ...times(reads, 'read ends'),
];
const SEQUENTIAL = sequential(1);
const began = (events: readonly string[]) => events.filter((event) => event.endsWith('begins'));

/** Lets the calls of one name fail as the table does when it is not there. */
const failing =
  (failed: string): Interception['around'] =>
  (name, call) =>
    name === failed ? Promise.reject(Object.assign(new Error('made by the test'), { name: 'TimeoutError' })) : call();

describe.each(READS)('%s', (operation, kind, reads) => {
  it('reads while the key is asked about, once this container has admitted it', async () => {
    const id = (await records(partner.keys.sandbox))[kind];
    const call = () => api(operation, { key: partner.keys.sandbox, id });
    expect(await recorded(call)).toMatchObject({ status: 200, events: sequential(reads) });
    const { status, events } = await recorded(call);
    expect({ status, first: events.slice(0, 1 + reads), all: events.toSorted() }).toEqual({
      status: 200,
      first: ['gate begins', ...times(reads, 'read begins')],
      all: sequential(reads).toSorted(),
    });
  });
});

describe('before a call is admitted', () => {
  it('nothing is opened, logged or answered, however early the row is there', async () => {
    const { lead } = await records(partner.keys.sandbox);
    const call = () => api('getLead', { key: partner.keys.sandbox, id: lead });
    await call();
    const written = vi.spyOn(process.stdout, 'write');
    const linesBefore = peers.metrics.length;
    const lines = () => written.mock.calls.length + peers.metrics.length - linesBefore;
    const { promise: rowIsThere, resolve: rowCame } = Promise.withResolvers<void>();
    const { promise: admission, resolve: admit } = Promise.withResolvers<void>();
    let answered = false;
    opened.count = 0;
    const running = recorded(call, async (name, ask) => {
      if (name === GATE) await admission;
      const result = await ask();
      if (name === READ) rowCame();
      return result;
    }).finally(() => {
      answered = true;
    });
    await rowIsThere;
    // Whatever would follow the row without the gate has had its turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect({ opened: opened.count, lines: lines(), answered }).toEqual({ opened: 0, lines: 0, answered: false });
    admit();
    expect((await running).status).toBe(200);
    expect(opened.count).toBe(1);
    expect(lines()).toBeGreaterThan(1);
    written.mockRestore();
  });
});

describe('a key that is no longer what it was', () => {
  it('revoked: one read is dropped, unopened, then the remembered refusal answers without any call', async () => {
    const { lead } = await records(partner.keys.sandbox);
    const call = () => api('getLead', { key: partner.keys.sandbox, id: lead });
    await call();
    await revokeKey(partner.partnerId, parseApiKey(partner.keys.sandbox)!.keyId, Date.now());
    opened.count = 0;
    const first = await recorded(call);
    expect([first.status, began(first.events)]).toEqual([401, ['gate begins', 'read begins']]);
    const second = await recorded(call);
    expect([second.status, second.events]).toEqual([401, []]);
    expect(opened.count).toBe(0);
  });

  it('over its rate: one read is dropped, then the remembered refusal answers without any call', async () => {
    const limited = await makePartner(4);
    const { lead } = await records(limited.keys.sandbox);
    const call = () => api('getLead', { key: limited.keys.sandbox, id: lead });
    expect((await call()).status).toBe(200);
    const first = await recorded(call);
    expect([first.status, began(first.events)]).toEqual([429, ['gate begins', 'read begins']]);
    const second = await recorded(call);
    expect([second.status, second.events]).toEqual([429, []]);
  });

  it("moved to another unit: what was read of the old one is thrown away, and the new one's read", async () => {
    const { lead } = await records(partner.keys.sandbox);
    const unit = await partner.addUnit();
    const own = await records(await partner.addKey({ unitId: unit }));
    const call = (id: number) => api('getLead', { key: partner.keys.sandbox, id });
    await call(lead);
    await changeAuthEntry(partner.keys.sandbox, { u: unit });
    opened.count = 0;
    const foreign = await recorded(() => call(lead));
    // The last update is the sandbox's note of the refusal.
    const asked = ['gate begins', 'read begins', 'read begins', 'gate begins'];
    expect([foreign.status, began(foreign.events)]).toEqual([404, asked]);
    expect(opened.count).toBe(0);
    const mine = await recorded(() => call(own.lead));
    expect([mine.status, began(mine.events)]).toEqual([200, ['gate begins', 'read begins']]);
  });
});

describe('where one of the two calls fails', () => {
  it.each([
    ['the gate', GATE],
    ['the read', READ],
  ])('%s: 503, nothing opened, and the next call is served', async (_, failed) => {
    const { lead } = await records(partner.keys.sandbox);
    const call = () => api('getLead', { key: partner.keys.sandbox, id: lead });
    await call();
    opened.count = 0;
    const { status, events } = await recorded(call, failing(failed));
    expect([status, events.toSorted(), opened.count]).toEqual([503, SEQUENTIAL.toSorted(), 0]);
    expect((await call()).status).toBe(200);
  });

  it('both: 503', async () => {
    const { lead } = await records(partner.keys.sandbox);
    const call = () => api('getLead', { key: partner.keys.sandbox, id: lead });
    await call();
    const both: Interception['around'] = (name, ask) => failing(name === GATE ? GATE : READ)(name, ask);
    expect((await recorded(call, both)).status).toBe(503);
  });
});

it('a malformed id reads nothing', async () => {
  const key = partner.keys.producao;
  const { lead } = await records(key);
  await api('getLead', { key, id: lead });
  const { status, events } = await recorded(() => api('getLead', { key, id: 'x' }));
  expect([status, began(events)]).toEqual([400, ['gate begins']]);
});
