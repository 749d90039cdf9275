import { ROUTES } from '#shared/contract/routes.ts';
import { makeApiKey, UNKNOWN_KEYS_ASKED } from '#shared/domain/partners/api-key.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { DELIVERY_KEPT } from '#shared/domain/webhooks/delivery.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { SqsDeliveryQueue } from '#shared/queue/deliveries.ts';
import { deliveryKey, deliverySuspended } from '#shared/table/rows/keys.ts';
import { setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery, firstMessage, newDelivery } from './booked.ts';
import { eventually } from './local-service.ts';
import { makePartner } from './peers.ts';
import { cpfFrom, leadBody } from './people.ts';
import { rowsOf } from './rows.ts';
import { ageAnalysis, overwriteRow, type Walk } from './walk.ts';

const MINUTE = 60_000;
/** Longer than the 2 s from which the runbook's query `slow-calls` finds a call, in milliseconds. */
const SLOW = 2_100;

/**
 * The service's keys are missing. This must happen before the walk, because a function that has the keys keeps them for
 * minutes.
 */
export async function keysAreMissing(walk: Walk): Promise<void> {
  const { fails, operator } = walk.service;
  const action = 'GetSecretValue';
  const keyFault = fails({ caller: 'create-lead', action }, 'ResourceNotFoundException');
  await walk.call('POST', '/v1/leads', { body: leadBody() }, 503);
  keyFault.end();
  operator.control.fault({ kind: 'lost_before', operation: 'submit', times: 1 });
  const { answer } = await walk.submit('without keys');
  await ageAnalysis(answer.body.analises[0].analise_id, 2 * MINUTE);
  await walk.poll();
  const pollerFault = fails({ caller: 'poll-bank-outcomes', action }, 'ResourceNotFoundException');
  await walk.poll(MINUTE).catch(() => {});
  pollerFault.end();
  // The first run sends the analysis, the second asks about it. So the analysis no longer waits in what follows.
  for (let run = 0; run < 2; run++) await walk.poll(MINUTE);
}

/** Somebody has changed the row of a CPF without the service. */
async function cpfPointsToAnotherLead(walk: Walk): Promise<void> {
  const createLead = (cpf: string, status: number) =>
    walk.call('POST', '/v1/leads', { body: leadBody({ cpf }) }, status);
  const cpf = cpfFrom(9_001);
  const { body } = await createLead(cpf, 201);
  const row = (await rowsOf('CPF#')).find(({ leadId }) => leadId === body.lead_id);
  await overwriteRow({ ...row, leadId: (await createLead(cpfFrom(9_002), 201)).body.lead_id });
  await createLead(cpf, 500);
}

/**
 * The table refuses an action to get-lead and to the poller, as if their policies had been changed. Then get-lead gets
 * an event that no code expects.
 */
async function apiFails(walk: Walk): Promise<void> {
  const { fails, run } = walk.service;
  const faults = [
    fails({ caller: 'get-lead', action: 'UpdateItem' }, 'AccessDeniedException'),
    fails({ caller: 'poll-bank-outcomes', action: 'GetItem' }, 'AccessDeniedException'),
  ];
  await walk.call('GET', '/v1/leads/1', {}, 500);
  await run('poll-bank-outcomes', { shard: 0, shards: 1 }).catch(() => {});
  for (const fault of faults) fault.end();
  await run('get-lead', {}).catch(() => {});
}

async function partnersMisbehave(walk: Walk): Promise<void> {
  await walk.call('GET', '/v1/me', { key: 'pmc_wrong' }, 401);
  const { keys } = await makePartner(1);
  await walk.call('GET', '/v1/me', { key: keys.producao });
  await walk.call('GET', '/v1/me', { key: keys.producao }, 429);
}

/**
 * Somebody invents keys of the partner. After many unknown keys, each function puts its brake on and reads the
 * partner's auth item (shared/table/partners/api-key-auth.ts).
 */
async function keysAreForged(walk: Walk): Promise<void> {
  const { accesses } = walk.service;
  const { partnerId } = walk.partner;
  for (const { operation, method, path, scope } of ROUTES) {
    if (scope === 'public') continue;
    const hasRead = () =>
      accesses.some(
        ({ caller, action, leadingKeys }) =>
          caller === operation && action === 'dynamodb:GetItem' && leadingKeys.some((key) => key.startsWith('AUTH#')),
      );
    // If a new minute begins meanwhile, the brake is taken off once.
    for (let call = 0; call <= 2 * UNKNOWN_KEYS_ASKED && !hasRead(); call++) {
      await walk.call(method, path.replace('{id}', '1'), { key: makeApiKey(partnerId, 'producao').text }, 401);
    }
  }
}

/** The operator is slow, and then answers with a status that no rule can read. */
async function operatorMisbehaves(walk: Walk): Promise<void> {
  const { control } = walk.service.operator;
  control.fault({ kind: 'slow', operation: 'submit', times: 1, delayMs: SLOW });
  const { answer } = await walk.submit('slow');
  control.fault({ kind: 'unknown_status', operation: 'query', times: 1 });
  await ageAnalysis(answer.body.analises[0].analise_id, MINUTE);
  await walk.poll();
}

/** Rows have a format that the running version cannot read. */
async function rowsAreUnreadable(walk: Walk): Promise<void> {
  const { answer } = await walk.submit('unreadable');
  const id = answer.body.analises[0].analise_id;
  await ageAnalysis(id, MINUTE);
  const analysis = (await rowsOf('ANALYSIS#')).find((row) => row['id'] === id);
  await overwriteRow({ ...analysis, bank: 'um banco novo' });
  const { eventId } = await bookDelivery(walk.partner.partnerId, { dueAt: Date.now() - 5 * MINUTE });
  const delivery = (await rowsOf('DELIVERY#')).find((row) => row['eventId'] === eventId);
  await overwriteRow({ ...delivery, dueAttempt: 'a primeira' });
  await walk.poll();
}

/** The table fails for a moment. Then a receiver refuses an event, and later says that it no longer exists. */
async function deliveriesEnd(walk: Walk): Promise<void> {
  const { inbox, lines, run, fails } = walk.service;
  const logged = (text: string) =>
    eventually(`${text} in the worker's log`, async () =>
      lines.some((line) => line.operation === 'deliver-webhook' && line.text.includes(text)) ? true : undefined,
    );
  const tableFault = fails({ caller: 'deliver-webhook', action: 'UpdateItem' });
  await new SqsDeliveryQueue().send([firstMessage(newDelivery(walk.partner.partnerId))], Date.now());
  await logged('request_failed');
  tableFault.end();

  // The inbox refuses events that another secret has signed.
  const { partnerId } = await makePartner();
  const gone = { partnerId, environment: 'producao' } as const;
  await setWebhook(gone, inbox.url, newWebhookSecret(), Date.now());
  await bookDelivery(gone, { dueAt: Date.now() - 5 * MINUTE, attempts: 11 });
  await run('sweep-deliveries');
  await logged('"status":401');
  await fetch(new URL('/fail-next?n=1&status=410', inbox.url), { method: 'POST' });
  await bookDelivery(gone, { dueAt: Date.now() - 5 * MINUTE });
  await run('sweep-deliveries');
  await logged('endpoint_disabled');

  // The sweeper gives up an event that the disabled endpoint has kept for longer than 90 days.
  const createdAt = Date.now() - DELIVERY_KEPT - MINUTE;
  const kept = newDelivery(gone, { state: 'suspensa', createdAt });
  const suspended = deliverySuspended(gone, createdAt, kept.eventId);
  await overwriteRow({ ...deliveryKey(kept.eventId), ...kept, ...suspended, dueAttempt: 1 });
  await run('sweep-deliveries');
}

/** The table refuses the writes of an erasure. */
async function erasureFails(walk: Walk): Promise<void> {
  const { fails, run } = walk.service;
  const { lead } = await walk.submit('erased in vain');
  await walk.bookErasure(lead);
  const tableFault = fails({ caller: 'sweep-erasures', action: 'TransactWriteItems' });
  await run('sweep-erasures');
  tableFault.end();
}

/** The poller cannot read its secrets again, six minutes after it has read them. It uses those that it holds. */
async function secretsAreAway(walk: Walk): Promise<void> {
  await walk.submit('secrets away');
  const caller = 'poll-bank-outcomes';
  const secretFault = walk.service.fails({ caller, action: 'GetSecretValue' }, 'ResourceNotFoundException');
  await walk.poll(6 * MINUTE);
  secretFault.end();
}

/** The clock of a sweeper's container is two days ahead of AWS's time. */
async function clockIsWrong({ service }: Walk): Promise<void> {
  await service.run('sweep-erasures', { time: timestamp(Date.now()) }, 2_880 * MINUTE);
}

/** The probe's key does not belong to the service. For the probe that is a service which does not answer. */
async function probeIsRefused(walk: Walk): Promise<void> {
  const { peers, run } = walk.service;
  const SecretId = peers.blueprint.secrets.find(({ name }) => name.endsWith('/probe'))!.name;
  peers.secrets.put({ SecretId, SecretString: makeApiKey(walk.partner.partnerId, 'sandbox').text });
  await run('probe-service');
}

/** Causes the faults that engineers are called for, as far as they can happen here. */
export async function causeFaults(walk: Walk): Promise<void> {
  await apiFails(walk);
  await partnersMisbehave(walk);
  await keysAreForged(walk);
  await probeIsRefused(walk);
  await operatorMisbehaves(walk);
  await rowsAreUnreadable(walk);
  await cpfPointsToAnotherLead(walk);
  await deliveriesEnd(walk);
  await erasureFails(walk);
  await secretsAreAway(walk);
  await clockIsWrong(walk);
}
