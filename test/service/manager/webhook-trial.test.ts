import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { InboxEvent } from '../../../infra/local/inbox.ts';
import { testEventOf } from '../../../shared/contract/event.ts';
import { SITUATIONS } from '../../../shared/domain/analyses/analysis.ts';
import type { PartnerId } from '../../../shared/domain/values/ids.ts';
import { newWebhookSecret, sign } from '../../../shared/webhook/sign.ts';
import { eventMatchesContract } from '../../makers/answers.ts';
import { managerOn, type Ran } from '../../makers/manager.ts';

const [SECRET, FORMER] = [newWebhookSecret(), newWebhookSecret()];
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-trial-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manager = managerOn();
const trigger = (url: string, ...args: (string | number)[]) =>
  manager(['webhook', 'trigger', '--url', url, '--secret', SECRET, ...args]);

/** A listener that has begun: its address, what it will have come to, and how to interrupt it. */
async function listening(args: readonly (string | number)[], secret = SECRET) {
  const stop = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<string>();
  const ended: Promise<Ran> = manager(['webhook', 'listen', '--port', 0, '--secret', secret, ...args], {
    interrupted: stop.promise,
    wrote: (text) => {
      const url = /listening on (\S+?),?[; ]/.exec(text)?.[1];
      if (url) heard.resolve(url);
    },
  });
  return { url: await heard.promise, stop: stop.resolve, ended };
}

const eventsIn = ({ out }: Ran): InboxEvent[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('webhook trigger', () => {
  it('sends what the service would send of each outcome, and the listener verifies both signatures', async () => {
    const outcomes = SITUATIONS.filter((situation) => situation !== 'em_analise');
    const { url, ended } = await listening(['--json', '--count', outcomes.length]);
    for (const situation of outcomes) {
      const type = situation === 'erro' ? 'analise.erro' : 'analise.resultado';
      const ran = await trigger(url, '--event', type, '--situation', situation, '--bank', 'inter', '--lead', 77);
      expect([ran.code, ran.err], ran.err).toEqual([0, '']);
      expect(ran.out).toMatch(/result +taken\nstatus +200/);
    }
    const listened = await ended;
    expect(listened.code).toBe(0);
    const events = eventsIn(listened);
    expect(events.map(({ body }) => (body as { data: { situacao: string } }).data.situacao)).toEqual(outcomes);
    for (const { headers, raw, verified, body } of events) {
      expect(verified).toEqual({ service: true, standard: true });
      expect(body).toMatchObject({ ambiente: 'sandbox', data: { banco: 'inter', banco_id: 4, lead_id: 77 } });
      eventMatchesContract(headers, raw);
    }
  });

  it('signs with the former secret too, for a receiver that still holds it', async () => {
    const file = join(folder, 'secrets.txt');
    writeFileSync(file, `${SECRET}\n${FORMER}\n`);
    const { url, ended } = await listening(['--count', 1], FORMER);
    const ran = await manager(['webhook', 'trigger', '--url', url, '--secret-file', file]);
    expect([ran.code, (await ended).code]).toEqual([0, 0]);
  });

  it('shows by a forged event whether a receiver verifies at all', async () => {
    const careful = await listening(['--count', 1]);
    const refused = await trigger(careful.url, '--forged');
    expect([refused.code, refused.err]).toEqual([0, 'The receiver refused the forged event, as it should.\n']);
    const listened = await careful.ended;
    expect(listened).toMatchObject({ code: 1, err: expect.stringContaining('1 of 1 events did not verify') });
    expect(listened.out).toContain('X-Service-Signature DOES NOT HOLD, webhook-signature DOES NOT HOLD');

    const careless = await listening(['--count', 1, '--answer', 200]);
    const taken = await trigger(careless.url, '--forged');
    expect([taken.code, taken.err]).toEqual([1, expect.stringContaining('it does not verify signatures')]);
    await careless.ended;
  });

  it.each([
    'https://hooks.parceiro.com.br/eventos',
    'http://192.168.0.7:8080/hook',
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:10.0.0.1]/',
    'http://127.0.0.1.example.com/',
    'http://user:word@127.0.0.1/',
    'ftp://127.0.0.1/',
    'http://0.0.0.0:4200/',
  ])('sends nothing to %s', async (url) => {
    const ran = await trigger(url);
    expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringContaining('sends to this machine alone')]);
  });
});

it('the secret is shown by neither command', async () => {
  const { url, ended } = await listening(['--json', '--count', 1]);
  const sent = await trigger(url, '--json');
  expect(sent.json()).toMatchObject({ type: 'analise.resultado', delivered: true, status: 200 });
  const listened = await ended;
  for (const text of [sent.out, sent.err, listened.out, listened.err]) expect(text).not.toContain('whsec_');
});

it('webhook listen: ends when it is interrupted, having told what came', async () => {
  const { url, stop, ended } = await listening([]);
  await trigger(url, '--status', 'Aprovado\u001b[2J');
  stop();
  const ran = await ended;
  expect([ran.code, ran.out]).toEqual([
    0,
    expect.stringMatching(/analise\.resultado evt_\w+ attempt 1, answered 200\n.*holds, webhook-signature holds\n/),
  ]);
  expect(ran.out).not.toContain('\u001b');
});

it('webhook listen: needs no account, takes its secret from the environment, and ends cleanly on SIGINT', async () => {
  const child = spawn(process.execPath, ['bin/manager.ts', 'webhook', 'listen', '--port', '0', '--json'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', WEBHOOK_SECRET: SECRET },
    timeout: 60_000,
  });
  const texts = { out: '', err: '' };
  const url = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text;
    const found = /listening on (\S+);/.exec(texts.err)?.[1];
    if (found) url.resolve(found);
  });
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve([code, signal])));
  const message = testEventOf(1 as PartnerId, Date.now());
  const headers = sign(
    { secret: SECRET, previousSecret: undefined, previousUntil: undefined },
    { ...message, body: Buffer.from(message.body), attempt: 1 },
    Date.now(),
  );
  const answer = await fetch(await url.promise, { method: 'POST', headers, body: message.body });
  expect(answer.status).toBe(200);
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(texts.out)).toMatchObject({ type: 'webhook.teste', verified: { service: true, standard: true } });
});
