import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as routes from '#shared/contract/routes.ts';
import { api, makeRecords, OPERATIONS, type Operation } from '../makers/api.ts';
import type { CallAnswer } from '../makers/call.ts';
import { type Interception, intercepted, interceptTable } from '../makers/intercepted.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { beginMinute, holdClock, releaseClock } from '../makers/test-clock.ts';

usePeers();
let partner: MadePartner;
beforeAll(() => {
  holdClock();
  interceptTable();
});
afterAll(releaseClock);
beforeEach(async () => {
  // At the turn of a minute, the first call of a container may need two tries.
  beginMinute();
  partner = await makePartner(120);
});

const HANDLERS = globSync('functions/api/**/*.ts').map((file) => readFileSync(file, 'utf8'));
/** The operations whose handler is a readEndpoint, with the thing that they read by its id. */
const READS = OPERATIONS.flatMap((operation) => {
  const { pathId } = routes[operation];
  const isRead = HANDLERS.some((text) => /\breadEndpoint\(\s*(\w+)/.exec(text)?.[1] === operation);
  return isRead && pathId !== 'none' && pathId !== 'event' ? [[operation, pathId] as const] : [];
});
/** Further reads. The PDFs also read the unit that presents them. */
const FURTHER: Readonly<Partial<Record<Operation, number>>> = { getSimulationPdf: 1, getSimulationComparison: 1 };

it('READS has a row for each handler of a readEndpoint', () => {
  expect(READS.length).toBeGreaterThan(5);
  expect(READS).toHaveLength(HANDLERS.filter((text) => text.includes('readEndpoint(')).length);
});

const GATE = 'table UpdateItemCommand';
const READ = 'table GetItemCommand';
const SHORT: Readonly<Record<string, string>> = { [GATE]: 'gate', [READ]: 'read' };

/** Returns the calls of a run in the order in which they begin and end, and the status of its answer. */
async function recorded(run: () => Promise<CallAnswer>) {
  const events: string[] = [];
  const around: Interception['around'] = async (name, call) => {
    events.push(`${SHORT[name] ?? name} begins`);
    try {
      return await call();
    } finally {
      events.push(`${SHORT[name] ?? name} ends`);
    }
  };
  const answer = await intercepted({ around }, run);
  return { status: answer.status, events };
}

const times = (count: number, event: string) => Array.from({ length: count }, () => event);
/** The order without reading ahead: first the key is checked, then all `reads` run at the same time. */
const sequential = (reads: number) => [
  'gate begins',
  'gate ends',
  ...times(reads, 'read begins'),
  ...times(reads, 'read ends'),
];

describe.each(READS)('%s', (operation, kind) => {
  const reads = 1 + (FURTHER[operation] ?? 0);
  it('a GET by id reads its row while the key is being checked, if this container has admitted the key before', async () => {
    const id = (await makeRecords(partner.keys.sandbox))[kind];
    const call = () => api(operation, { key: partner.keys.sandbox, id });
    expect(await recorded(call)).toMatchObject({ status: 200, events: sequential(reads) });
    const { status, events } = await recorded(call);
    expect(status).toBe(200);
    expect(events.slice(0, 1 + reads)).toEqual(['gate begins', ...times(reads, 'read begins')]);
    expect(events.toSorted()).toEqual(sequential(reads).toSorted());
  });
});
