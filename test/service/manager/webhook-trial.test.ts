import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { type InboxEvent, startInbox } from '#infra/local/inbox.ts';
import { SITUATIONS } from '#shared/domain/analyses/analysis.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { eventMatchesContract } from '#test/makers/answers.ts';
import { managerOn } from '#test/makers/manager.ts';

const [SECRET, FORMER] = [newWebhookSecret(), newWebhookSecret()];
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-trial-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manager = managerOn();
const trigger = (url: string, ...args: (string | number)[]) =>
  manager(['webhook', 'trigger', '--url', url, '--secret', SECRET, ...args]);

/** Starts a receiver. Returns its address and the events that it gets. */
async function receiver(secret = SECRET, answer?: number) {
  const events: InboxEvent[] = [];
  const inbox = await startInbox((event) => void events.push(event), answer === undefined ? {} : { answer });
  inbox.expect(secret);
  onTestFinished(inbox.close);
  return { url: inbox.url, events };
}

it('webhook trigger sends the event that the service would send for each outcome, with both signatures', async () => {
  const outcomes = SITUATIONS.filter((situation) => situation !== 'em_analise');
  const { url, events } = await receiver();
  for (const situation of outcomes) {
    const type = situation === 'erro' ? 'analise.erro' : 'analise.resultado';
    const ran = await trigger(url, '--event', type, '--situation', situation, '--bank', 'inter');
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toBe('');
    expect(ran.out).toMatch(/result +accepted\nstatus +200/);
  }
  expect(events.map(({ body }) => (body as { data: { situacao: string } }).data.situacao)).toEqual(outcomes);
  for (const { headers, raw, verified, body } of events) {
    expect(verified).toEqual({ service: true, standard: true });
    expect(body).toMatchObject({ ambiente: 'sandbox', data: { banco: 'inter', banco_id: 4 } });
    eventMatchesContract(headers, raw);
  }
});

/** Sends an event with --json to a new receiver. Returns the printed record and the event that arrived. */
async function sent(...args: readonly string[]) {
  const { url, events } = await receiver();
  const ran = await trigger(url, ...args, '--json');
  expect(ran.code, ran.err).toBe(0);
  const [arrived] = events;
  return { printed: ran.json(), arrived };
}

it('webhook trigger writes each of its options into the event that it sends', async () => {
  const options = ['--situation', 'recusado', '--bank', 'inter', '--environment', 'producao', '--attempt', '3'];
  const { printed, arrived } = await sent(...options, '--analysis', '7001');
  expect(arrived?.attempt).toBe(3);
  expect(arrived?.body).toMatchObject({
    type: 'analise.resultado',
    ambiente: 'producao',
    sequencia: 1,
    data: {
      analise_id: 7001,
      banco: 'inter',
      banco_id: 4,
      num_consulta: 'SB-7001',
      status_original: 'RECUSADO',
      situacao: 'recusado',
      pendente: false,
    },
  });
  expect(printed).toMatchObject({ type: 'analise.resultado', attempt: 3, body: { ambiente: 'producao' } });
});

it('webhook trigger sends an account event of the environment that --environment names', async () => {
  const { arrived } = await sent('--event', 'conta.alterada', '--environment', 'producao');
  expect(arrived?.body).toMatchObject({ ambiente: 'producao', data: { mudanca: 'webhook_segredo' } });
});

it('webhook trigger sends the same event twice if the analysis is the same, and another one if it is not', async () => {
  const [first, second, other] = [
    await sent('--analysis', '7001'),
    await sent('--analysis', '7001'),
    await sent('--analysis', '7002'),
  ];
  expect(second.arrived?.id).toBe(first.arrived?.id);
  expect(other.arrived?.id).not.toBe(first.arrived?.id);
  expect((await sent()).arrived?.id).not.toBe((await sent()).arrived?.id);
});

it('webhook trigger also signs with the former secret, for a receiver that still has it', async () => {
  const file = join(folder, 'secrets.txt');
  writeFileSync(file, `${SECRET}\n${FORMER}\n`);
  const { url } = await receiver(FORMER);
  expect((await manager(['webhook', 'trigger', '--url', url, '--secret-file', file])).code).toBe(0);
});

it('webhook trigger --forged shows whether a receiver verifies signatures', async () => {
  const careful = await receiver();
  const refused = await trigger(careful.url, '--forged');
  expect(refused.code).toBe(0);
  expect(refused.err).toBe('The receiver refused the forged event, as it should.\n');
  expect(careful.events[0]!.verified).toEqual({ service: false, standard: false });

  const taken = await trigger((await receiver(SECRET, 200)).url, '--forged');
  expect(taken.code).toBe(1);
  expect(taken.err).toContain('it does not verify signatures');
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
])('webhook trigger sends nothing to %s', async (url) => {
  const ran = await trigger(url);
  expect(ran.code).toBe(2);
  expect(ran.out).toBe('');
  expect(ran.err).toContain('sends only to this machine');
});

it('webhook trigger reads its secret from the environment, and shows it nowhere', async () => {
  vi.stubEnv('WEBHOOK_SECRET', SECRET);
  const { url } = await receiver();
  const sent = await manager(['webhook', 'trigger', '--url', url, '--json']);
  vi.unstubAllEnvs();
  expect(sent.json()).toMatchObject({ type: 'analise.resultado', delivered: true, status: 200 });
  for (const text of [sent.out, sent.err]) expect(text).not.toContain('whsec_');
});
