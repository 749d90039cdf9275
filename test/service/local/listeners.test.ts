import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listener, listenersOf } from '#test/makers/listeners.ts';
import { type LocalService, startLocalService, startPanel } from '#test/makers/local-service.ts';

describe('a local run with its panel', () => {
  let service: LocalService;
  let panel: Awaited<ReturnType<typeof startPanel>>;
  let listeners: readonly Listener[];
  beforeAll(async () => {
    // The wire before the engines is a server more.
    service = await startLocalService({ awsLike: true });
    panel = await startPanel(service.serviceFile);
    listeners = [service.pid, Number(panel.command.pid)].flatMap(listenersOf);
  });
  afterAll(async () => {
    panel?.command.kill();
    await service?.end();
  });

  it('every socket of a local run listens on a loopback address', () => {
    // Gateways, sign-in, operator, inbox, secrets, queues and wire of the run, its table's engine, and the panel.
    expect(listeners.length).toBe(10);
    expect(listeners.filter(({ address }) => !/^(127(\.\d+){3}|::1)$/.test(address))).toEqual([]);
  });
});
