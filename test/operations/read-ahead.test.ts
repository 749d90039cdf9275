import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { api, makeRecords, type Operation } from '../makers/api.ts';
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

/** Operations that read by id, with their number of reads. The PDFs also read the unit that presents them. */
const READS: readonly [Operation, keyof Awaited<ReturnType<typeof makeRecords>>, reads: number][] = [
  ['getLead', 'lead', 1],
  ['getSimulation', 'simulation', 1],
  ['getSimulationInstalments', 'simulation', 1],
  ['getSimulationPdf', 'simulation', 2],
  ['getSimulationComparison', 'simulation', 2],
  ['getAnalysisStatus', 'analysis', 1],
];

it('every handler of a readEndpoint has its row in READS', () => {
  const handlers = globSync('functions/api/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const routes = handlers.flatMap((text) => /\breadEndpoint\(\s*(\w+)/.exec(text)?.[1] ?? []);
  expect(READS.map(([operation]) => operation).sort()).toEqual(routes.sort());
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

describe.each(READS)('%s', (operation, kind, reads) => {
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
