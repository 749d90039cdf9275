import { globSync, readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOperator } from '#infra/local/operator/operator.ts';
import { makeApiKey } from '#shared/domain/partners/api-key.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { METRICS, type MetricName, type MetricRow, NAMESPACE, unitOf } from '#shared/runtime/metrics.ts';
import { putSecret } from '#shared/runtime/secret.ts';
import { setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { api, handlerOf } from '../makers/api.ts';
import { lambdaContext } from '../makers/call.ts';
import { makeAuthority } from '../makers/certificate.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody } from '../makers/people.ts';
import { type Receiver, startReceiver } from '../makers/receiver.ts';
import { rowsOf } from '../makers/rows.ts';
import { sqsEvent } from '../makers/sqs.ts';

/** Metrics that only rare events emit. The tests of those events check them. */
const RARE = [
  ...[
    'BankRatesUnknown',
    'BankTrouble',
    'CpfMismatches',
    'ErasuresFailed',
    'IdempotencyInFlight',
    'IdempotencyResumed',
  ],
  ...[
    'LeadsEnded',
    'LeadsNoticed',
    'OperatorUnauthorized',
    'ProductionKeysMade',
    'RateDaysLeft',
    'RunsWithWrongClock',
    'SealingKeyUse',
    'SecretRefreshesFailed',
    'ServerErrors',
  ],
  ...['SubmissionsInDoubt', 'PartnerUnreached', 'WebhookExhausted'],
];

const peers = usePeers();
let operator: Awaited<ReturnType<typeof startOperator>>;
let publicName: Receiver;
beforeAll(async () => {
  const authority = makeAuthority();
  setDefaultCACertificates([...getCACertificates(), authority.ca]);
  publicName = await startReceiver(authority.certify('localhost'), (_, response) => response.writeHead(200).end());
  process.env['PROBE_URL'] = `https://localhost:${publicName.port}`;
  operator = await startOperator({ token: 'the-operator-token', delayMs: 0 });
  process.env['OPERATOR_URL'] = operator.url;
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
});
afterAll(async () => {
  await operator.close();
  await publicName.stop();
});

it('each rare metric is named by a test of its event', () => {
  const files = globSync('test/{unit,table,operations,service,flows}/**/*.test.ts').filter(
    (file) => !file.endsWith('telemetry.test.ts'),
  );
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  expect(RARE.filter((name) => !texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual([]);
});

const run = async (operation: string, event: unknown) => (await handlerOf(operation))(event, lambdaContext(55_000));
const tick = () => ({ time: timestamp(Date.now()) });

it('the flow emits every metric that is not rare, with the dimensions and the unit of the catalogue', async () => {
  const partner = await makePartner(120);
  const key = partner.keys.producao;
  // Nobody listens at this address: the attempt fails, and counts as a failure of this partner.
  const owner = { partnerId: partner.partnerId, environment: 'producao' } as const;
  await setWebhook(owner, 'http://127.0.0.1:9/webhooks', newWebhookSecret(), Date.now());
  const cpf = cpfFrom(1);
  const created = { key, body: leadBody({ cpf }), once: 'lead' };
  const lead = (await api('createLead', created)).body.lead_id;
  await api('createLead', created);
  await api('createLead', { ...created, body: leadBody({ cpf, renda: 1 }) });
  await api('createLead', { key, body: leadBody({ cpf, apelido: 'Mari' }) });
  await api('createSimulation', { key, body: { lead_id: lead, valor_imovel: 500000, bancos: ['itau'] } });
  await api('getAccount', { key: makeApiKey(partner.partnerId, 'producao').text });
  const submitted = await api('submitAnalyses', { key, body: analysisBody(lead, { cpf }), once: 'a' });
  expect(submitted.status).toBe(202);
  await run('poll-bank-outcomes', { ...tick(), shard: 0, shards: 1 });
  await run('sweep-deliveries', tick());
  await putSecret(process.env['PROBE_KEY_SECRET']!, partner.keys.sandbox);
  await run('probe-service', tick());

  const { body } = await api('getAnalysisStatus', { key, id: submitted.body.analises[0].analise_id });
  expect(body.analise.situacao).toBe('aprovado');
  for (const { eventId, partnerId, dueAt } of await rowsOf('DELIVERY#')) {
    const Body = JSON.stringify({ eventId, partnerId, attempt: 1, dueAt });
    const attempt = run('deliver-webhook', sqsEvent([{ MessageId: '1', ReceiptHandle: 'none', Body }]));
    await expect(attempt).rejects.toThrow('The run failed');
  }

  const seen = new Map<string, { dimensions: readonly string[]; unit: string }>();
  const totals = new Set<string>();
  for (const { _aws } of peers.metrics) {
    for (const { Namespace, Dimensions, Metrics } of _aws.CloudWatchMetrics) {
      expect(Namespace).toBe(NAMESPACE);
      const dimensions = Dimensions[0]!.toSorted();
      for (const { Name, Unit } of Metrics) {
        const row: MetricRow = METRICS[Name as MetricName];
        if (row.total && dimensions.join() === 'environment,stage') totals.add(Name);
        else seen.set(Name, { dimensions, unit: Unit });
      }
    }
  }
  expect(Array.from(totals).sort()).toEqual(['Pending', 'SubmissionsInDoubt', 'TimeToOutcome']);
  const wanted = (Object.entries(METRICS) as [MetricName, MetricRow][]).filter(([name]) => !RARE.includes(name));
  expect(Object.fromEntries(wanted.map(([name]) => [name, seen.get(name)]))).toEqual(
    Object.fromEntries(
      wanted.map(([name, { by = [] }]) => [name, { dimensions: ['stage', ...by].sort(), unit: unitOf(name) }]),
    ),
  );
});
