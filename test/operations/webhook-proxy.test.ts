import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeEndpoint } from '../makers/delivery.ts';
import { startPlainReceiver } from '../makers/receiver.ts';

const SENDER = new URL('../../shared/webhook/send.ts', import.meta.url).href;

test('a webhook never goes through the proxy that the environment names', async () => {
  const endpoint = await startPlainReceiver((_, response) => void response.end());
  const proxy = await startPlainReceiver((_, response) => void response.writeHead(502).end());
  const script = `
    const { HttpWebhookSender } = await import(${JSON.stringify(SENDER)});
    const sender = new HttpWebhookSender({ resolve: async () => [], allowLocal: true, clock: Date.now });
    const endpoint = { url: 'http://127.0.0.1:${endpoint.port}/', secret: '${makeEndpoint().secret}' };
    const result = await sender.send(endpoint, { eventId: 'evt_a', type: 'analise.erro', body: '{}' }, 1, Date.now());
    process.stdout.write(JSON.stringify(result));`;
  const address = `http://127.0.0.1:${proxy.port}`;
  const proxies = { HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address, http_proxy: address };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, ...proxies, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(JSON.parse(await text(child.stdout))).toMatchObject({ delivered: true, status: 200 });
  expect(proxy.connections()).toBe(0);
  expect(endpoint.connections()).toBe(1);
  await Promise.all([endpoint.stop(), proxy.stop()]);
});
