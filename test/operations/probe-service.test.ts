import { beforeAll, expect, it } from 'vitest';
import { handler } from '#functions/pollers/probe-service.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { lambdaContext } from '../makers/call.ts';
import { captureLogLines } from '../makers/partner-call.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { startPlainReceiver } from '../makers/receiver.ts';
import { useManager } from '../makers/served-administration.ts';
import { holdClock, passTime, releaseClock } from '../makers/test-clock.ts';

const peers = usePeers();
const run = () => handler({ time: timestamp(Date.now()) }, lambdaContext(15_000));
let seen = 0;
/** Returns the metrics of all runs since the last call of this function. */
function emitted() {
  const lines = peers.metrics.slice(seen);
  seen = peers.metrics.length;
  return lines.map((line) => ({ success: line['ProbeSuccess'], hasLatency: line['ProbeLatency'] !== undefined }));
}
const codes = async () => (await captureLogLines(run)).map(({ code }) => code);
const manager = useManager(peers);
let status = 200;
const setKey = (input: string) => manager(['probe', 'set-key', '--reason', 'first deployment'], { input });

beforeAll(async () => {
  holdClock();
  const receiver = await startPlainReceiver((_, response) => response.writeHead(status).end());
  process.env['PROBE_URL'] = `http://127.0.0.1:${receiver.port}`;
  return async () => {
    releaseClock();
    await receiver.stop();
  };
});

it('probe-service measures nothing until its key is written, and then whether the service answers', async () => {
  await run();
  expect(emitted()).toEqual([]);
  const { keys } = await makePartner();
  for (const refused of ['', 'pmc_sandbox_x', keys.producao]) {
    const ran = await setKey(refused);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('is no sandbox key');
  }
  const ran = await setKey(`${keys.sandbox}\n`);
  expect(ran.code).toBe(0);
  expect(ran.err).toBe('');
  expect(ran.out).not.toContain(keys.sandbox);
  expect(peers.secrets.current(process.env['PROBE_KEY_SECRET']!)).toBe(keys.sandbox);
  const audit = await manager(['audit', 'list', '--service', '--json']);
  expect(audit.out).not.toContain(keys.sandbox);
  expect(audit.json().entries).toMatchObject([{ action: 'set-probe-key', outcome: 'done' }]);
  emitted();
  // A container caches the key for some minutes.
  passTime(6 * 60_000);
  expect(await codes()).toContain('probe_completed');
  expect(emitted()).toEqual([{ success: 1, hasLatency: true }]);
  status = 503;
  expect(await codes()).toContain('probe_failed');
  expect(emitted()).toEqual([{ success: 0, hasLatency: true }]);
});
