import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATION, FUNCTIONS } from '#infra/functions.ts';
import { allowed } from '#infra/local/aws/iam.ts';
import { PERMISSIONS } from '#infra/permissions.ts';
import { operationsOf, readRunbook, runbookText } from '#infra/runbook.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { TableWebhookEndpoints } from '#shared/table/webhooks/webhook-endpoints.ts';
import { makeWebhookPartner } from '../makers/booked.ts';
import {
  accessesOfFunction,
  idleKinds,
  idleReads,
  type RoleStatement,
  rolesOf,
  unusedPermissions,
} from '../makers/iam.ts';
import { flattenLogLine, type LogEvent, runQuery } from '../makers/insights.ts';
import { causeFaults, keysAreMissing } from '../makers/mishaps.ts';
import { leadBody } from '../makers/people.ts';
import { knownPersonalDataIn, personalDataIn } from '../makers/personal-data.ts';
import { everyRow, rowsOf } from '../makers/rows.ts';
import { Walk } from '../makers/walk.ts';
import { startWholeService, type WholeService } from '../makers/whole-service.ts';

let service: WholeService;
let partnerId: PartnerId;
let secretKeys: readonly string[];
let submission: Awaited<ReturnType<Walk['take']>>;
let roles: Map<string, RoleStatement[]>;
beforeAll(async () => {
  service = await startWholeService();
  const walk = await Walk.begin(service);
  await keysAreMissing(walk);
  submission = await walk.take();
  await walk.call('POST', '/v1/leads', { body: { ...leadBody(), cpf: '1' } }, 400);
  partnerId = walk.partner.partnerId;
  secretKeys = Object.values(walk.partner.keys);
  await causeFaults(walk);
  // The sweeper reads the row of an endpoint only if it has failed for hours.
  const [endpoints, failing] = [new TableWebhookEndpoints(), await makeWebhookPartner(0)];
  await endpoints.countFailure(failing, (await endpoints.get(failing))!, Date.now() - 7 * 3_600_000);
  await service.run('sweep-deliveries');
  roles = rolesOf(service.template, service.peers.blueprint);
});
afterAll(() => service.close());

const OPERATIONS = FUNCTIONS.map(({ operation }) => operation);

/** Kinds of rows that a function reads only in situations that this walk does not make. */
const READ_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {};
/** Kinds of rows that a function writes only in situations that this walk does not make. */
const WRITTEN_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  // No sandbox lead of this walk has left a withdrawal.
  'reset-sandbox': ['CUTOFF'],
};

describe('the roles of the template', () => {
  it('each role of the service belongs to exactly one function', () => {
    const own = [...roles.keys()].filter((name) => !name.startsWith(`${ADMINISTRATION}-`));
    expect(own.sort()).toEqual(OPERATIONS.toSorted());
  });

  it.each(OPERATIONS)('the role of %s allows all that its function asks for', (operation) => {
    const refused = accessesOfFunction(service, operation).filter((asked) => !allowed(roles.get(operation)!, asked));
    expect(refused.map(({ action, resource }) => `${action} on ${resource}`)).toEqual([]);
  });

  it.each(OPERATIONS)('the role of %s allows nothing that its function does not ask for', (operation) => {
    expect(unusedPermissions(roles.get(operation)!, accessesOfFunction(service, operation))).toEqual([]);
    // Only some calls write refusals and counters of encryptions.
    const { writes, puts = [], deletes = [] } = PERMISSIONS[operation]!;
    const asked = accessesOfFunction(service, operation);
    expect(idleKinds(puts, asked, /:PutItem$/)).toEqual([]);
    expect(idleKinds(deletes, asked, /:DeleteItem$/)).toEqual(WRITTEN_ELSEWHERE[operation] ?? []);
    const idle = idleKinds(writes, asked);
    expect(idle.filter((kind) => !['REFUSED', 'ENCRYPTIONS'].includes(kind))).toEqual(
      WRITTEN_ELSEWHERE[operation] ?? [],
    );
    const unread = idleReads(PERMISSIONS[operation]!.reads, accessesOfFunction(service, operation));
    expect(unread).toEqual(READ_ELSEWHERE[operation] ?? []);
  });
});

const FILLED = 'AUTH PARTNER LEAD CPF IDEMPOTENCY OPPORTUNITY FORM ANALYSIS CONSENT DELIVERY'.split(' ');
const asText = (row: object) => JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? undefined : value));
const bytesOf = (row: object): Uint8Array[] =>
  Object.values(row).flatMap((value) => (value instanceof Uint8Array ? [value] : []));

it.each([undefined, 'byList', 'byDue'])(
  'after every flow the table has no readable personal data, key or secret: index %s',
  async (index) => {
    const rows = await everyRow(index);
    const { secret } = (await new TableWebhookEndpoints().get({ partnerId, environment: 'producao' }))!;
    const hidden = [...secretKeys, ...secretKeys.map((key) => key.slice(30)), secret, secret.slice(6)];
    expect(rows.length).toBeGreaterThan(0);
    if (!index) expect(rows.map(({ pk }) => String(pk).split('#')[0])).toEqual(expect.arrayContaining(FILLED));
    for (const row of rows) {
      const bytes = bytesOf(row).map((one) => Buffer.from(one).toString('latin1'));
      expect(personalDataIn(asText(row)), String(row['pk'])).toEqual([]);
      for (const text of bytes) expect(knownPersonalDataIn(text), String(row['pk'])).toEqual([]);
      const whole = [asText(row), ...bytes].join();
      expect(
        hidden.filter((text) => whole.includes(text)),
        String(row['pk']),
      ).toEqual([]);
    }
  },
);

it('the gateway’s id of a call is in the log of each function that works on the call, and at the operator', () => {
  const { requestId } = submission;
  const lines = service.lines
    .filter(({ text }) => text.includes('"code":'))
    .map(({ operation, text }) => ({ operation, ...JSON.parse(text) }))
    .filter(({ request_id }) => request_id === requestId);
  expect(lines.map(({ operation, code }) => [operation, code])).toEqual([
    ['submit-analyses', 'request_completed'],
    ['poll-bank-outcomes', 'analysis_concluded'],
    ['deliver-webhook', 'delivery_attempted'],
  ]);
  // The two calls are the bank submission and the query for its outcome.
  expect(service.operatorCalls.filter((id) => id === requestId)).toHaveLength(2);
});

it('the gateway’s id of a call is stored with the analysis and with the delivery of its event', async () => {
  const { requestId, analysis } = submission;
  const rows = [...(await rowsOf('ANALYSIS#')), ...(await rowsOf('DELIVERY#'))];
  const own = rows.filter((row) => row['id'] === analysis || row['analysisId'] === analysis);
  expect(own.map((row) => row['requestId'])).toEqual([requestId, requestId]);
});

it('each line of the log has the gateway’s id of the call or the id of the run', () => {
  const lines = service.lines.filter(({ text }) => text.includes('"code":')).map(({ text }) => JSON.parse(text));
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(line.request_id, line.code).toEqual(expect.stringMatching(/^\S{15,}$/));
});

function discoveredEvent(record: object): LogEvent {
  const text = JSON.stringify(record);
  return { ...flattenLogLine(text), '@timestamp': new Date().toISOString(), '@message': text, '@log': 'gateway' };
}

const QUERIES = [...readRunbook(runbookText()).values()].flatMap(({ queries }) => queries);
// No part of the local run writes the firewall's log. This record is as AWS WAF's developer guide describes it (Log
// fields).
const BLOCKED = discoveredEvent({
  ...{ timestamp: Date.now(), action: 'BLOCK', terminatingRuleId: 'rate-per-address' },
  httpRequest: { clientIp: '198.51.100.7', country: 'BR', httpMethod: 'POST', uri: 'REDACTED' },
});
// This walk does not use the administration's gateway. This line has the fields that the template makes it write.
const caller = 'arn:aws:sts::000000000000:assumed-role/manager/ana.lima';
const ADMINISTRATION_FAILED = discoveredEvent({ status: '503', route: '/v1/keys', method: 'POST', caller });
// This walk does not run the administration's functions, either.
const line = { timestamp: new Date().toISOString(), request_id: 'a-request' };
const ADMINISTRATION_BROKE = discoveredEvent({
  ...{ ...line, level: 'ERROR', operation: 'administration-list-keys', code: 'request_failed' },
  errors: [{ name: 'Failure' }, { name: 'TimeoutError', hint: 'no answer' }],
});
const CONTRADICTED = discoveredEvent({
  ...{ ...line, level: 'WARN', operation: 'administration-record-outcomes', code: 'transition_ignored' },
  ...{ bank: 'itau', unit: 5_000_001, analysis: 1 },
});
// SQS refuses no message of this walk.
const QUEUE_REFUSED = discoveredEvent({
  ...{ ...line, level: 'ERROR', operation: 'submit-analyses', code: 'queue_send_failed' },
  errors: [{ name: 'AccessDenied' }],
});
// This walk damages no row of a webhook.
const WEBHOOK_UNREADABLE = discoveredEvent({
  ...{ ...line, level: 'ERROR', operation: 'sweep-deliveries', code: 'row_unreadable', partner: 117_000_001 },
  errors: [{ name: 'ZodError' }],
});
const linesOf = (sources: readonly string[]): LogEvent[] => {
  if (sources.includes('firewall')) return [BLOCKED];
  if (sources.includes('administration-access')) return [ADMINISTRATION_FAILED];
  if (sources.includes('administration')) return [ADMINISTRATION_BROKE];
  const wanted = new Set(sources.flatMap(operationsOf));
  const written: LogEvent[] = service.lines
    .filter(({ operation }) => wanted.has(operation))
    .map(({ operation, text }) => {
      const fields = flattenLogLine(text);
      const at = fields['timestamp'] ?? new Date().toISOString();
      return { ...fields, '@timestamp': at, '@message': text, '@log': operation, '@logStream': '[1]local' };
    });
  if (sources.includes('administration-record-outcomes')) return written.concat(CONTRADICTED);
  if (sources.includes('sweep-deliveries')) return written.concat(WEBHOOK_UNREADABLE);
  return sources.includes('all') ? written.concat(QUEUE_REFUSED) : written;
};

it.each(QUERIES.map(({ name, sources, text }) => [name, sources, text] as const))(
  'the runbook’s query %s finds the lines that it is for, with every field that it shows',
  (_, sources, text) => {
    const lines = linesOf(sources);
    const failed = lines.find((line) => line['errors.0.name'] !== undefined && line['partner'] !== undefined);
    const query = text.replace('PUT THE ID HERE', String(sources[0] === 'all' ? failed?.['request_id'] : partnerId));
    const { matched, shows } = runQuery(query, lines);
    expect(matched.length).toBeGreaterThan(0);
    const missing = [...shows].filter((field) => !matched.some((line) => line[field] !== undefined));
    expect(missing).toEqual([]);
  },
);
