import { expect, it, vi } from 'vitest';
import { RULES } from '#infra/local/dashboards/metric-store.ts';
import { localMetricStore, measureLine } from '#infra/local/dashboards/platform-metrics.ts';
import { makeApiKey, parseApiKey } from '#shared/domain/partners/api-key.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import type { AttemptReport } from '#shared/domain/webhooks/deliver.ts';
import type { Delivery } from '#shared/domain/webhooks/delivery.ts';
import {
  AnalysisTelemetry,
  PollTelemetry,
  recordOperatorCall,
  SubmissionTelemetry,
} from '#shared/operator/telemetry.ts';
import { unitOf } from '#shared/runtime/metrics.ts';
import { AttemptTelemetry } from '#shared/webhook/telemetry.ts';
import { makeAnalysis } from '../makers/analysis.ts';
import { api } from '../makers/api.ts';
import type { CallOptions } from '../makers/call.ts';
import { makeDelivery } from '../makers/delivery.ts';
import { captureLogLines } from '../makers/partner-call.ts';
import { makePartner } from '../makers/peers.ts';
import { leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';

const delivered = { delivered: true, status: 200, milliseconds: 1 } as AttemptReport['result'];
const refused = { delivered: false, failure: 'http_5xx', status: 503, milliseconds: 7 } as AttemptReport['result'];
const scene = useScene({ limit: 120 });

/** Returns the metrics that one call emits: name, value and dimensions. */
async function emitted(operation: Parameters<typeof api>[0], options: CallOptions) {
  const before = scene.peers.metrics.length;
  await api(operation, options);
  return scene.peers.metrics
    .slice(before)
    .flatMap((line) =>
      line._aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
        Metrics.map(({ Name }) => [
          Name,
          line[Name],
          Object.fromEntries(Dimensions[0]!.filter((name) => name !== 'stage').map((name) => [name, line[name]])),
        ]),
      ),
    );
}

/** Returns the metrics that some work emits, as values and dimensions. */
function valuesOf(work: () => void) {
  const before = scene.peers.metrics.length;
  work();
  return scene.peers.metrics.slice(before).map(({ _aws, stage, ...values }) => values);
}

/** Returns the lines of the log that some work writes. */
async function logged(work: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  await work().finally(() => write.mockRestore());
  return lines;
}

it('a call is counted once for its operation, and its log line has its use of the table', async () => {
  let found: unknown;
  const lines = await logged(async () => {
    found = await emitted('createLead', { key: scene.partner.keys.sandbox, body: leadBody() });
  });
  const of = { operation: 'create-lead' };
  const line = lines.map((text) => JSON.parse(text)).find(({ code }) => code === 'request_completed');
  // One unit for the auth item, two for each of three rows in a transaction, and one for the
  // lead's entry in the index of ends.
  expect(line).toMatchObject({ status: 201, table_calls: 2, table_units: 8 });
  expect(found).toEqual([
    ['LeadsCreated', 1, { environment: 'sandbox' }],
    ['Latency', expect.any(Number), of],
  ]);
});

it('the log line of a call names the key and the subject only by ids that the service has drawn', async () => {
  const key = scene.partner.keys.sandbox;
  const { lead } = await scene.person();
  const analyse = (lead_id: number) => api('createSimulation', { key, body: { lead_id, valor_imovel: 1 } });
  const lines = await logged(async () => {
    await api('getLead', { key, id: lead });
    await api('getSimulation', { key, id: lead });
    await api('getAnalysisStatus', { key, id: lead });
    await analyse(lead);
    await analyse(52_998_224_725);
    await api('getLead', { key, id: 5_511_988_887_777 });
    await api('createLead', { key, body: leadBody() });
    await api('getAccount', { key: makeApiKey(scene.partner.partnerId, 'sandbox').text });
  });
  const said = lines.map((text) => JSON.parse(text)).filter(({ code }) => code === 'request_completed');
  const of = said.map((line) => [line.key, line.lead, line.simulation, line.analysis, line.table_calls > 0]);
  const { keyId } = parseApiKey(key)!;
  const none = undefined;
  expect(of).toEqual([
    [keyId, lead, none, none, true],
    [keyId, none, lead, none, true],
    [keyId, none, none, lead, true],
    [keyId, lead, none, none, true],
    [keyId, none, none, none, true],
    [keyId, none, none, none, true],
    [keyId, expect.any(Number), none, none, true],
    [none, none, none, none, true],
  ]);
});

it('a call that is refused for its rate is counted for its partner by its log line', async () => {
  const limited = await makePartner(1);
  const lines = await logged(async () => {
    for (const key of [limited.keys.producao, limited.keys.sandbox])
      for (let call = 0; call < 2; call++) await api('getAccount', { key });
  });
  const store = localMetricStore();
  for (const line of lines) measureLine(store, line);
  const contributors = store.find(RULES, 'refused-by-rate', ['contributor'], {});
  expect(contributors.map(({ dimensions }) => dimensions)).toEqual([{ contributor: String(limited.partnerId) }]);
  // The refused call of the sandbox is not counted.
  expect(store.values(contributors[0]!, 'Sum', [0], Number.MAX_SAFE_INTEGER)).toEqual([1]);
});

it('OldestPendingMinutes is measured only for production, and an analysis that needs a person for its bank', () => {
  const now = Date.now();
  const observer = new PollTelemetry(() => now);
  observer.met(makeAnalysis({ bank: 'brb', environment: 'sandbox', createdAt: now - 10 * 86_400_000 }));
  const young = makeAnalysis({ bank: 'brb', environment: 'producao', createdAt: now - 5 * 60_000 });
  observer.met(young);
  observer.asked(young, { kind: 'no_news', unknownStatus: false });
  // An analysis counts after two hours without an answer, and not a millisecond earlier.
  for (const [since, minutes] of [
    [2 * 3_600_000, 9],
    [2 * 3_600_000 - 1, 7],
  ] as const)
    observer.met({ ...young, bank: 'inter', createdAt: now - minutes * 60_000, unanswerableSince: now - since });
  // An analysis is stuck after a day, and not a millisecond earlier.
  for (const age of [86_400_000, 86_400_001]) observer.met({ ...young, bank: 'itau', createdAt: now - age });
  expect(valuesOf(() => observer.ended([], ENVIRONMENTS))).toEqual([
    { environment: 'producao', bank: 'brb', Pending: 1 },
    { environment: 'producao', bank: 'inter', Pending: 2 },
    { environment: 'producao', bank: 'inter', kind: 'unanswerable', BankTrouble: 1 },
    { environment: 'producao', bank: 'itau', Pending: 2 },
    { environment: 'producao', bank: 'itau', kind: 'stuck', BankTrouble: 1 },
    { environment: 'producao', Pending: 5 },
    { environment: 'producao', OldestPendingMinutes: 1440 },
    { environment: 'sandbox', Pending: 1 },
    // There is a point even if nothing was due: only a poller that does not run leaves a gap.
    { Polls: 1, PollLag: 0 },
  ]);
});

const BY_BANK = { environment: 'producao', bank: 'brb' };

it.each([
  ['timeout', { OperatorErrors: 1 }, []],
  ['unauthorized', { OperatorErrors: 1 }, [{ environment: 'producao', OperatorUnauthorized: 1 }]],
  [undefined, { OperatorErrors: 0 }, []],
] as const)('a call to the operator that ends with the fault %s is counted', (fault, errors, more) => {
  const outcome = fault === undefined ? 'known' : 'failed';
  const call = { bank: 'brb', operation: 'query', outcome, fault, milliseconds: 7, requestId: 'a-request' } as const;
  const facts = fault && { call: 'query', outcome, fault, request_id: 'a-request' };
  expect(valuesOf(() => recordOperatorCall(call))).toEqual([
    { ...BY_BANK, OperatorLatency: 7, ...errors, ...facts },
    ...more,
  ]);
});

it('the line of a submission to the operator names call, outcome and request id', () => {
  const call = { bank: 'brb', operation: 'submit', outcome: 'accepted', fault: undefined } as const;
  expect(valuesOf(() => recordOperatorCall({ ...call, milliseconds: 7, requestId: 'a-request' }))).toEqual([
    { ...BY_BANK, OperatorLatency: 7, OperatorErrors: 0, call: 'submit', outcome: 'accepted', request_id: 'a-request' },
  ]);
});

it('a bank submission is counted for its bank, and also as in doubt; a resumed submission is counted once', () => {
  const analysis = makeAnalysis({ bank: 'brb', environment: 'producao', queryNumber: '' });
  const after = { ...analysis, queryNumber: 'BRB-1' };
  const changes = [analysis, after].map((one) => ({ before: analysis, after: one }));
  const observer = new SubmissionTelemetry(() => 0);
  expect(valuesOf(() => observer.submitted(false, changes, changes))).toEqual([
    { ...BY_BANK, AnalysesSubmitted: 1, SubmissionsInDoubt: 1 },
    { ...BY_BANK, AnalysesSubmitted: 1 },
    { environment: 'producao', SubmissionsInDoubt: [1, 0] },
  ]);
  expect(valuesOf(() => observer.submitted(true, changes, changes))).toEqual([{ IdempotencyResumed: 1 }]);
});

it('a refusal by the bank is counted as an outcome only if this run has stored it', () => {
  const analysis = makeAnalysis({ bank: 'brb', environment: 'producao' });
  const refused = { before: analysis, after: { ...analysis, situation: 'erro' as const } };
  const observer = new SubmissionTelemetry(() => 0);
  const outcomes = (written: boolean) =>
    valuesOf(() => observer.submitted(true, [refused], written ? [refused] : [])).filter((one) => 'Outcome' in one);
  expect(outcomes(true)).toHaveLength(1);
  expect(outcomes(false)).toEqual([]);
});

it('an ignored outcome and an unknown status are counted for their bank', () => {
  const analysis = makeAnalysis({ bank: 'brb', environment: 'producao' });
  const observer = new AnalysisTelemetry(Date.now);
  const counted = (kind: string) => [{ ...BY_BANK, kind, BankTrouble: 1 }];
  const late = { before: analysis, after: { ...analysis, situation: 'aprovado' as const } };
  expect(valuesOf(() => observer.concluded(late, false))).toEqual(counted('late_outcome'));
  const unknown = { kind: 'no_news', unknownStatus: true } as const;
  expect(valuesOf(() => observer.asked(analysis, unknown))).toEqual(counted('unknown_status'));
});

it('another outcome for an analysis that has ended is logged with the ids of the analysis', async () => {
  const ended = makeAnalysis({ bank: 'brb', environment: 'producao', situation: 'recusado' });
  const late = { before: ended, after: { ...ended, situation: 'aprovado' as const } };
  const lines = await captureLogLines(async () => new AnalysisTelemetry(Date.now).concluded(late, false));
  const warning = { level: 'WARN', code: 'transition_ignored', bank: 'brb', analysis: ended.id };
  expect(lines.filter((line) => 'code' in line)).toMatchObject([warning]);
});

const counted = (WebhookDelivered: number, WebhookFirstTryDelivered: number, more: object = {}) => {
  return { environment: 'producao', WebhookDelivered, WebhookFirstTryDelivered, WebhookDelay: 1.5, ...more };
};
const FAILURE = { environment: 'producao', class: 'http_5xx', WebhookFailures: 1 };

it.each<[string, AttemptReport['result'], number, Delivery['state'], object[]]>([
  ['is delivered at once', delivered, 1, 'entregue', [counted(1, 1)]],
  ['is delivered again', delivered, 2, 'entregue', [counted(1, 0)]],
  ['fails', refused, 1, 'pendente', [counted(0, 0), FAILURE]],
  ['fails for the last time', refused, 12, 'esgotada', [counted(0, 0, { WebhookExhausted: 1 }), FAILURE]],
  ['finds no enabled endpoint', undefined, 1, 'suspensa', []],
])('an attempt that %s is counted and logged as such', async (_, result, attempts, state, metrics) => {
  const delivery = { ...makeDelivery(), attempts };
  const { eventId: event, dueAt } = delivery;
  const next = { ...delivery, state };
  const report = { delivery, begunAt: dueAt + 1_500, result, next, disabled: undefined } as AttemptReport;
  expect(valuesOf(() => new AttemptTelemetry().attempted(report))).toEqual(metrics);
  const [text] = await logged(async () => new AttemptTelemetry().attempted(report));
  const line = JSON.parse(text!);
  expect(line).toMatchObject({ partner: 3, unit: 11, environment: 'producao', event, next: state });
  expect(line.late).toBe(result && 1_500);
  expect(line.attempt).toBe(result && attempts);
  expect(line.status).toBe(result?.status);
  expect(line.milliseconds).toBe(result?.milliseconds);
  expect(line.delivered).toBe(result?.delivered);
  expect(line.failure).toBe(result === refused ? 'http_5xx' : undefined);
});

it('the delay of a webhook is emitted in seconds', () => {
  expect(unitOf('WebhookDelay')).toBe('Seconds');
});

it.each(ENVIRONMENTS)(
  'new leads, found leads and offers of each bank are counted in %s, where the key belongs',
  async (environment) => {
    const key = scene.partner.keys[environment];
    const body = leadBody({ cpf: '935.411.347-80' });
    const counted = async (...call: Parameters<typeof emitted>) =>
      (await emitted(...call)).filter(([name]) => /^Leads|^Simulations$/.test(String(name)));
    expect(await counted('createLead', { key, body })).toEqual([['LeadsCreated', 1, { environment }]]);
    expect(await counted('createLead', { key, body })).toEqual([['LeadsReused', 1, { environment }]]);
    const lead_id = (await api('createLead', { key, body })).body.lead_id;
    const simulation = {
      lead_id,
      valor_imovel: 500_000,
      valor_financiado: 250_000,
      prazo: 240,
      bancos: ['inter', 'itau'],
    };
    const offers = await counted('createSimulation', { key, body: simulation });
    const wanted = ['inter', 'itau'].map((bank) => ['Simulations', 1, { environment, bank }]);
    expect(offers).toHaveLength(wanted.length);
    expect(offers).toEqual(expect.arrayContaining(wanted));
  },
);
