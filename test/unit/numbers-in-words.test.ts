import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CERTIFICATE_DAYS } from '../../infra/alarms/service-level.ts';
import { alarmsOf } from '../../infra/alarms.ts';
import { type Condition, isSeveral } from '../../infra/constructs/impact-alarm.ts';
import { DELIVERY_WORKER, FUNCTIONS, POLLERS } from '../../infra/functions.ts';
import { stageValues } from '../../infra/stages.ts';
import { CLOCK_DIFFERENCE } from '../../shared/contract/fields.ts';
import { FORM_KEPT, PENDING_LIMIT, SUBMIT_LIMIT } from '../../shared/domain/analyses/analysis.ts';
import { CONSENT_KEPT } from '../../shared/domain/analyses/consent.ts';
import { MAX_POLL_SHARDS } from '../../shared/domain/analyses/poll-schedule.ts';
import { SECOND_PASS_AFTER } from '../../shared/domain/leads/erasure.ts';
import { DEFAULT_LIMIT } from '../../shared/domain/partners/partner.ts';
import { REFUSALS_KEPT } from '../../shared/domain/partners/refused-call.ts';
import { TABLE_AGE_LIMIT } from '../../shared/domain/simulations/pricing/notices.ts';
import { LARGEST_BODY } from '../../shared/domain/values/failure.ts';
import { IDEMPOTENCY_TTL } from '../../shared/domain/values/idempotency.ts';
import {
  ANSWER_WITHIN,
  DELIVERY_KEPT,
  JITTER,
  REMEMBERED,
  RETRY_WAITS,
  retrySpan,
} from '../../shared/domain/webhooks/delivery.ts';
import { DISABLING, ROTATION_OVERLAP } from '../../shared/domain/webhooks/endpoint.ts';
import { OUTCOME_AFTER } from '../../shared/operator/sandbox-operator.ts';
import { SECRET_KEPT } from '../../shared/runtime/secret.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const stage = { ...stageValues('prod', {}), probeHasKey: true };
const attempts = RETRY_WAITS.producao.length;
const hours = Math.floor(retrySpan('producao') / HOUR);
const failingDays = DISABLING.failingFor / DAY;
const timeout = (operation: string) => FUNCTIONS.find((row) => row.operation === operation)!.timeout;

/** The conditions of an alarm. */
function conditionsOf(name: string): readonly Condition[] {
  const { when } = alarmsOf(stage).find((alarm) => alarm.name === name)!;
  if ('alarms' in when) throw new Error(`${name} stands above others`);
  return isSeveral(when) ? when : [when];
}
/** The bound of an alarm. */
function bound(name: string): number {
  const [condition] = conditionsOf(name) as [Condition];
  if ('above' in condition) return condition.above;
  return 'atLeast' in condition ? condition.atLeast : condition.below;
}
/** How many samples an alarm's formula asks for. */
function samples(name: string): number {
  const [{ metric }] = conditionsOf(name) as [Condition];
  if (metric.kind !== 'math' || typeof metric.formula !== 'object' || !('if' in metric.formula))
    throw new Error(`${name} asks for no samples`);
  return metric.formula.atLeast;
}

const RUNBOOK = 'infra/RUNBOOK.md';
const PAGES = 'shared/partner/docs/pages';
const HELP = 'bin/manager/panel/page/help.md';

/** A document, a sentence with each number's place in parentheses, and the numbers by the code that rules them. */
const SENTENCES: readonly (readonly [document: string, sentence: RegExp, numbers: readonly number[]])[] = [
  ['README.md', /retried for (\d+) h,/, [hours]],
  [
    RUNBOOK,
    /more than ([\d.]+) % were answered 5xx in the last hour \(at least (\d+) calls\)/,
    [bound('error-budget-fast'), samples('error-budget-fast')],
  ],
  [
    RUNBOOK,
    /More than ([\d.]+) % in six hours \(at least (\d+) calls\)/,
    [bound('error-budget-slow'), samples('error-budget-slow')],
  ],
  [RUNBOOK, /More than half of at least (\d+) calls in 15 minutes/, [samples('most-calls-fail')]],
  [
    RUNBOOK,
    /above (\d+) s \(15 s for .*with at least (\d+) calls/,
    [bound('latency-create-lead') / 1000, samples('latency-create-lead')],
  ],
  [RUNBOOK, /\((\d+) s for POST \/v1\/simulacoes/, [bound('latency-create-simulation') / 1000]],
  [RUNBOOK, /above (\d+) % of its timeout/, [bound(`duration-${DELIVERY_WORKER}`) / timeout(DELIVERY_WORKER) / 10]],
  [RUNBOOK, /`deliver-webhook` at least (\d+) times in three of five/, [bound('lambda-throttles')]],
  [RUNBOOK, /time and poll above (\d+) s \(at least (\d+) questions\)/, [bound('poll-lag'), samples('poll-lag')]],
  [RUNBOOK, /cut off near their (\d+) s/, [timeout(POLLERS.outcomes)]],
  [RUNBOOK, /`infra\/stages.ts` \((\d+) at most\)/, [MAX_POLL_SHARDS]],
  [
    RUNBOOK,
    /pending for more than (\d+) h, or for more than (\d+) days/,
    [bound('oldest-pending-day') / 60, bound('oldest-pending-week') / 1440],
  ],
  [
    RUNBOOK,
    /more than (\d+) % of at least (\d+) calls to the operator/,
    [bound('bank-failing-itau'), samples('bank-failing-itau')],
  ],
  [RUNBOOK, /(?:At|or at) (\d+) days(?: a pending|: agree)/, [PENDING_LIMIT / DAY]],
  [RUNBOOK, /half of at least (\d+) submissions/, [samples('nothing-submitted')]],
  [RUNBOOK, /in use for more than (\d+) days, by the metric/, [TABLE_AGE_LIMIT]],
  [
    RUNBOOK,
    /its start is above (\d+) s for 10 minutes \(at least (\d+) attempts\)/,
    [bound('webhook-delay'), samples('webhook-delay')],
  ],
  [
    RUNBOOK,
    /below (\d+) % of at least (\d+) attempts in an hour, more than ([\d,]+) messages/,
    [bound('webhook-first-try'), samples('webhook-first-try'), bound('in-flight')],
  ],
  [RUNBOOK, /given up after (\d+) attempts in (\d+) hours/, [attempts, hours]],
  [RUNBOOK, /times out \((\d+) s each\)/, [ANSWER_WITHIN / 1000]],
  [RUNBOOK, /not sent again \(ticket\), or at least (\d+) \(page\)/, [bound('dead-letters-many')]],
  [RUNBOOK, /an event used up its (\d+) attempts/, [attempts]],
  [RUNBOOK, /or after (\d+) days without a success and at least (\d+) failures/, [failingDays, DISABLING.failures]],
  [RUNBOOK, /switched on again, for (\d+) days/, [DELIVERY_KEPT / DAY]],
  [
    RUNBOOK,
    /refused more than (\d+) % of the calls .* at least (\d+) times/,
    [bound('table-throttles'), samples('table-throttles')],
  ],
  [RUNBOOK, /its own rate more than (\d+) times in 15 minutes/, [bound('partner-rate')]],
  [RUNBOOK, /More than (\d+) calls in 5 minutes came with a key/, [bound('authentication-failures')]],
  [RUNBOOK, /(?:read again|take it up) within (\d+) minutes/, [SECRET_KEPT / MINUTE]],
  [
    RUNBOOK,
    /blocked more than (\d+) % of at least (\d+) calls/,
    [bound('firewall-blocks'), samples('firewall-blocks')],
  ],
  [RUNBOOK, /is shown ends within (\d+) days/, [CERTIFICATE_DAYS]],
  ['infra/README.md', /Functions take it up within (\d+) minutes/, [SECRET_KEPT / MINUTE]],
  [
    'infra/README.md',
    /What Idempotency-Keys have left ends by itself within (\d+) days/,
    [IDEMPOTENCY_TTL.analyses / DAY],
  ],
  [`${PAGES}/acompanhamento.md`, /fica (\d+) dias sem resposta/, [PENDING_LIMIT / DAY]],
  [`${PAGES}/acompanhamento.md`, /2xx em até (\d+) segundos/, [ANSWER_WITHIN / 1000]],
  [`${PAGES}/acompanhamento.md`, /com ao menos (\d+) falhas/, [DISABLING.failures]],
  [`${PAGES}/acompanhamento.md`, /\(\*jitter\*\) de até (\d+) %/, [JITTER * 100]],
  [`${PAGES}/consentimento.md`, /mais de (\d+) minutos/, [CLOCK_DIFFERENCE / MINUTE]],
  [`${PAGES}/calculo.md`, /Depois de (\d+) dias em uso/, [TABLE_AGE_LIMIT]],
  [`${PAGES}/erros.md`, /das últimas (\d+) horas/, [REFUSALS_KEPT.milliseconds / HOUR]],
  [`${PAGES}/fluxo.md`, /se em (\d+) horas/, [SUBMIT_LIMIT / HOUR]],
  [`${PAGES}/inicio.md`, /até (\d+) KiB/, [LARGEST_BODY / 1024]],
  [`${PAGES}/limites.md`, /q=(\d+);w=60/, [DEFAULT_LIMIT]],
  [`${PAGES}/fluxo.md`, /cerca de (\d+) segundos/, [OUTCOME_AFTER / 1000]],
  [`${PAGES}/sandbox.md`, /cerca de (\d+) segundos/, [OUTCOME_AFTER / 1000]],
  [`${PAGES}/limites.md`, /as primeiras (\d+) passam/, [DEFAULT_LIMIT]],
  [`${PAGES}/perguntas.md`, /Depois de (\d+) dias sem resposta/, [PENDING_LIMIT / DAY]],
  [`${PAGES}/perguntas.md`, /Se em (\d+) horas/, [SUBMIT_LIMIT / HOUR]],
  [`${PAGES}/producao.md`, /segredo antigo assina por mais (\d+) horas/, [ROTATION_OVERLAP / HOUR]],
  [`${PAGES}/sandbox.md`, /A segunda chega (\d+) segundos depois/, [RETRY_WAITS.sandbox[1]! / 1000]],
  [`${PAGES}/webhooks.md`, /Por (\d+) horas, o segredo anterior/, [ROTATION_OVERLAP / HOUR]],
  [`${PAGES}/webhooks.md`, /que falha por (\d+) dias/, [failingDays]],
  [HELP, /por (\d+) horas o anterior assina/, [ROTATION_OVERLAP / HOUR]],
  [HELP, /depois de (\d+) dias sem que nada chegue/, [failingDays]],
  [HELP, /cujas (\d+) tentativas/, [attempts]],
  [HELP, /passagens, com (\d+) minutos entre elas/, [SECOND_PASS_AFTER / MINUTE]],
  [HELP, /consentimento fica (\d+) anos/, [Math.floor(CONSENT_KEPT / (365 * DAY))]],
  [HELP, /até (\d+) dias depois do último/, [FORM_KEPT / DAY]],
  ['bin/manager/panel/page/screens/dead-letters.tsx', /cujas (\d+) tentativas/, [attempts]],
  ['bin/manager/panel/page/screens/analyses.tsx', /Com (\d+) dias, o serviço/, [PENDING_LIMIT / DAY]],
  ['bin/manager/panel/page/screens/webhook.tsx', /por até (\d+) dias, até que/, [DELIVERY_KEPT / DAY]],
  ['shared/administration/deliveries.ts', /The last (\d+) attempts/, [REMEMBERED]],
  ['bin/manager/leads.ts', /a second pass follows after (\d+) minutes/, [SECOND_PASS_AFTER / MINUTE]],
  ['bin/manager/leads.ts', /expire within (\d+) days, daily/, [IDEMPOTENCY_TTL.analyses / DAY]],
];

it.each(SENTENCES)('%s says %s as the code has it', (document, sentence, numbers) => {
  const text = readFileSync(join(import.meta.dirname, '../..', document), 'utf8');
  const found = [...text.matchAll(new RegExp(sentence, 'g'))];
  expect(found.length, 'the sentence is gone').toBeGreaterThan(0);
  for (const [, ...places] of found) expect(places.map((place) => Number(place.replace(',', '')))).toEqual(numbers);
});
