import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { FUNCTIONS } from '#infra/functions.ts';
import * as routes from '#shared/contract/routes.ts';
import { days } from '#shared/domain/values/time.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { callHandler } from '../makers/call.ts';
import { countUnits } from '../makers/counting.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { withWrongClock } from '../makers/test-clock.ts';

const peers = usePeers();
let counted: ReturnType<typeof countUnits>;
beforeAll(() => {
  counted = countUnits(tableClient());
});

type Handler = { prime(): Promise<void> };

const sourceOf = async (operation: string) => {
  const { file } = FUNCTIONS.find((row) => row.operation === operation)!;
  return (await import(join(import.meta.dirname, '../..', file))) as { handler: Handler };
};

/**
 * Returns a run's calls of the table, and how many secrets it fetched. Units are left out: a refused write
 * costs a unit that its answer does not report.
 */
async function asked(run: () => Promise<unknown>) {
  const secrets = vi.spyOn(peers.secrets, 'act');
  counted.reset();
  await run();
  const { calls } = counted.units;
  const fetched = secrets.mock.calls.length;
  secrets.mockRestore();
  return { calls: calls.toSorted(), fetched };
}

const GATE = { calls: ['Update'] };

it.each([
  // The operator's token is a second secret. Simulations also read the row of published rates.
  ['submit-analyses', GATE, 2],
  ['create-lead', GATE, 1],
  ['create-simulation', { calls: ['Get', 'Update'] }, 1],
  ['get-account', GATE, 1],
  ['get-lead', GATE, 1],
  ['get-simulation-pdf', GATE, 1],
])('priming %s asks once for each thing that its first call would wait for', async (operation, table, fetched) => {
  const { handler } = await sourceOf(operation);
  forgetServiceKeys();
  // Another test of this process may have read the rates, which are kept for two minutes at most.
  const primed = await withWrongClock(days(400), () => asked(() => handler.prime()));
  expect(primed).toEqual({ ...table, fetched });
});

it('a first call after priming fetches nothing, and importing a function asks for nothing', async () => {
  const { keys } = await makePartner(120);
  forgetServiceKeys();
  expect(await asked(() => sourceOf('get-webhook'))).toEqual({ calls: [], fetched: 0 });
  const { handler } = await sourceOf('get-webhook');
  await handler.prime();
  const first = await asked(() => callHandler(handler, routes.getWebhook, { key: keys.sandbox }));
  expect(first.fetched).toBe(0);
});

describe('the bundle', () => {
  const API = FUNCTIONS.filter(({ primed }) => primed).map(({ operation }) => operation);

  it('exactly the functions whose route needs an API key are primed', () => {
    expect(API.toSorted()).toEqual(
      routes.ROUTES.filter(({ scope }) => scope !== 'public')
        .map(({ operation }) => operation)
        .toSorted(),
    );
  });

  it.each(['answers nothing', 'is not there'])('the bundle of a function loads although every peer %s', async (how) => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => {})));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    if (how === 'is not there') await new Promise((resolve) => silent.close(resolve));
    const before = { ...process.env };
    for (const name of ['DYNAMODB', 'SECRETS_MANAGER']) {
      process.env[`AWS_ENDPOINT_URL_${name}`] = `http://127.0.0.1:${port}`;
    }
    const load = (operation: string) => {
      const { folder } = peers.blueprint.functions.find((plan) => plan.operation === operation)!;
      const address = `${pathToFileURL(join(folder, 'index.mjs')).href}?${how.length}`;
      return import(/* @vite-ignore */ address) as Promise<{ handler: unknown }>;
    };
    try {
      expect((await load('poll-bank-outcomes')).handler).toBeTypeOf('function');
      expect(sockets).toHaveLength(0);
      expect((await load('get-lead')).handler).toBeTypeOf('function');
      if (how === 'answers nothing') expect(sockets.length).toBeGreaterThan(0);
    } finally {
      Object.assign(process.env, before);
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});
