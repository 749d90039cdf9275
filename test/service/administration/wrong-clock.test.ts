import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';
import { days, minutes } from '#shared/domain/values/time.ts';
import { administration } from '#test/makers/administration.ts';
import { administrationScenes } from '#test/makers/administration-scenes.ts';
import { usePeers } from '#test/makers/peers.ts';
import { type Receiver, startPlainReceiver } from '#test/makers/receiver.ts';
import { clearTable, everyRow } from '#test/makers/rows.ts';
import { setServiceKeys } from '#test/makers/service-keys.ts';

/** Audited operations that may write more than the audit. */
const CHANGES = ADMINISTRATION_OPERATIONS.filter(({ audited, method }) => audited && method !== 'GET').map(
  ({ operation }) => operation,
);

const peers = usePeers();
let receiver: Receiver;
let received = 0;
let scenes: ReturnType<typeof administrationScenes>;
beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  receiver = await startPlainReceiver((_, response) => {
    received += 1;
    response.writeHead(200).end();
  });
  scenes = administrationScenes(peers.secrets, `http://127.0.0.1:${receiver.port}/eventos`);
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  await clearTable();
  setServiceKeys(peers.secrets);
});

it.each(CHANGES)(
  '%s is refused and writes nothing if its clock and the gateway differ by two days',
  async (operation) => {
    const call = await scenes[operation]?.();
    const before = { rows: await everyRow(), received };
    for (const receivedAt of [Date.now() - days(2), Date.now() + days(2)]) {
      const { status, body } = await administration(operation, { ...call, receivedAt });
      expect(status).toBe(503);
      expect(body.code).toBe('unavailable');
    }
    expect({ rows: await everyRow(), received }).toEqual(before);
    expect(peers.metrics.filter((line) => 'RunsWithWrongClock' in line).length).toBeGreaterThan(0);
  },
);

it('a change is made if its clock and the gateway differ by four minutes', async () => {
  const call = await scenes['set-rate']?.();
  expect((await administration('set-rate', { ...call, receivedAt: Date.now() - minutes(4) })).status).toBe(200);
});
