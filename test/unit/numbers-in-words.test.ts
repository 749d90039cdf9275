import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STUCK_AFTER } from '#infra/alarms/operator.ts';
import { WARNING_DAYS } from '#infra/alarms/pricing-tables.ts';
import { BUSY_WEEK, CERTIFICATE_DAYS, FAILED_WRITES, LONG_RUN, SLOW_CALLS } from '#infra/alarms/service-level.ts';
import { alarmsOf } from '#infra/alarms.ts';
import { type Condition, isSeveral } from '#infra/constructs/impact-alarm.ts';
import { copyDays } from '#infra/constructs/kept-evidence.ts';
import { DELIVERY_WORKER, FUNCTIONS, POLLERS, PROBE } from '#infra/functions.ts';
import { LATENCY, LATENCY_WITH_BANKS } from '#infra/insight-rules.ts';
import { COPIED_WITHIN, stageValues } from '#infra/stages.ts';
import { reindexRows } from '#shared/administration/indexing.ts';
import { reencryptRows } from '#shared/administration/sealing.ts';
import { HOLDER_AGES } from '#shared/contract/analysis-request.ts';
import * as analysis from '#shared/domain/analyses/analysis.ts';
import { MAX_POLL_SHARDS } from '#shared/domain/analyses/poll-schedule.ts';
import { APPROVAL_LIFETIME } from '#shared/domain/audit/approvals.ts';
import { SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import { NOTICE_DAYS, SHORTEST_TERM } from '#shared/domain/leads/retention.ts';
import { UNKNOWN_KEYS_ASKED } from '#shared/domain/partners/api-key.ts';
import { DEFAULT_LIMIT, KEY, KEY_IN_USE, PARTNER, PREFIX, REFUSALS_KEPT } from '#shared/domain/partners/partner.ts';
import { ASSUMED_AGE } from '#shared/domain/simulations/pricing/borrowers.ts';
import { RATE_AGE_LIMIT } from '#shared/domain/simulations/pricing/notices.ts';
import { LONGEST_EXTENSION, TABLES } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { CLOCK_DIFFERENCE } from '#shared/domain/values/clock.ts';
import { LARGEST_BODY } from '#shared/domain/values/failure.ts';
import { IDEMPOTENCY_TTL } from '#shared/domain/values/idempotency.ts';
import * as delivery from '#shared/domain/webhooks/delivery.ts';
import { DISABLING, FAILING_LONG, ROTATION_OVERLAP } from '#shared/domain/webhooks/endpoint.ts';
import { CIRCUIT_WINDOW } from '#shared/operator/circuit.ts';
import { OUTCOME_AFTER } from '#shared/operator/sandbox-operator.ts';
import { MOST_DIFFERENCE_MS } from '#shared/runtime/background-runs.ts';
import { SECRET_HELD_MS, SECRET_KEPT_MS, SECRET_RETRY_MS } from '#shared/runtime/secret.ts';
import { CALLERS_LOOKED_AT } from '#shared/table/partners/sandbox-checklist.ts';
import { INDEX_KEY_WAITS, OLD_KEYS_END } from '#shared/table/sealing/service-keys.ts';
import { BUDGETS } from '../bench/budgets.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const stage = { ...stageValues('prod', {}), probeHasKey: true };
const COPYING = {
  copyVaultArn: 'arn:aws:backup:sa-east-1:444455556666:backup-vault:copies',
  secondRegion: undefined,
  vaultLock: 'compliance',
} as const;
const attempts = delivery.RETRY_WAITS.producao.length;
const hours = Math.floor(delivery.retrySpan('producao') / HOUR);
const failingDays = DISABLING.failingFor / DAY;
const keptDays = delivery.DELIVERY_KEPT / DAY;
const retention = stage.leadRetention ?? { sandboxDays: 0, monthsWithoutAnalysis: 0, yearsAfterAnalysis: 0 };
const RULES = TABLES.housingRules.at(-1)!;
const oldest = Number(RULES.oldestAtTheEnd.value);
const timeout = (operation: string) => FUNCTIONS.find((row) => row.operation === operation)!.timeout;

/** Returns the conditions of an alarm. */
function conditionsOf(name: string): readonly Condition[] {
  const { when } = alarmsOf(stage).find((alarm) => alarm.name === name)!;
  if ('alarms' in when) throw new Error(`${name} stands above others`);
  return isSeveral(when) ? when : [when];
}
/** Returns the bound of an alarm. */
function bound(name: string): number {
  const [condition] = conditionsOf(name) as [Condition];
  if ('above' in condition) return condition.above;
  return 'atLeast' in condition ? condition.atLeast : condition.below;
}
/** Returns how many samples an alarm's formula asks for. */
function samples(name: string): number {
  const [{ metric }] = conditionsOf(name) as [Condition];
  if (metric.kind !== 'math' || typeof metric.formula !== 'object' || !('if' in metric.formula))
    throw new Error(`${name} asks for no samples`);
  return metric.formula.atLeast;
}
const alarm = (name: string) => [bound(name), samples(name)];

/**
 * For each document, sentences with their numbers in parentheses, and the values that the code has for these numbers.
 */
const SENTENCES: Readonly<Record<string, readonly (readonly [sentence: RegExp, ...numbers: number[]])[]>> = {
  'README.md': [[/retried for (\d+) h,/, hours]],
  'infra/RUNBOOK.md': [
    [/more than ([\d.]+) % were answered 5xx in the last hour \(at least (\d+) calls\)/, ...alarm('error-budget-fast')],
    [/more than ([\d.]+) % in six hours \(at least (\d+) calls\)/, ...alarm('error-budget-slow')],
    [/more than half of at least (\d+) calls in 15 minutes/, samples('most-calls-fail')],
    [/At least (\d+) calls of one operation that writes were answered 5xx/, FAILED_WRITES],
    [/At least (\d+) calls of one operation took longer than (\d+) s/, SLOW_CALLS, LATENCY / 1000],
    [/\((\d+) s for POST \/v1\/simulacoes/, LATENCY_WITH_BANKS / 1000],
    [/The two rules count fewer than (\d+) calls/, SLOW_CALLS],
    [/(?:at least|below) (\d+) % of its timeout/, LONG_RUN / timeout(DELIVERY_WORKER) / 10],
    [/time and poll above (\d+) s \(at least (\d+) questions\)/, ...alarm('poll-lag')],
    [/cut off near their (\d+) s/, timeout(POLLERS.outcomes)],
    [/`infra\/stages.ts` \((\d+) at most\)/, MAX_POLL_SHARDS],
    [/gives up an analysis after (\d+) days/, analysis.PENDING_LIMIT / DAY],
    [/as the analyses are younger than (\d+) days/, analysis.PENDING_LIMIT / DAY],
    [/pending for more than (\d+) h/, STUCK_AFTER / HOUR],
    [/more than (\d+) % of at least (\d+) calls to the operator/, ...alarm('bank-failing-itau')],
    [/(?:After|question at) (\d+) days(?: the operator|: agree)/, analysis.PENDING_LIMIT / DAY],
    [/(?:ends it after|is older than) (\d+) days/, analysis.CLOSE_LIMIT / DAY],
    [/(?:after|within) (\d+) hours(?: an analysis that the operator|, and then ends)/, analysis.SUBMIT_LIMIT / HOUR],
    [/For (\d+) s after the token was refused/, CIRCUIT_WINDOW / 1000],
    [/half of at least (\d+) submissions/, samples('nothing-submitted')],
    [/at most (\d+) days (?:from now|away)/, WARNING_DAYS],
    [/If the (\d+) days of another bank or segment begin/, WARNING_DAYS],
    [/when its age is above (\d+) days/, RATE_AGE_LIMIT],
    [/makes offers for (\d+) months more at most/, LONGEST_EXTENSION],
    [/its start is above (\d+) s for 10 minutes \(at least (\d+) attempts in each/, ...alarm('webhook-delay')],
    [/below (\d+) % of at least (\d+) attempts in an hour/, ...alarm('webhook-first-try')],
    [/the week had at least (\d+) of each/, BUSY_WEEK],
    [/given up after (\d+) attempts in (\d+) hours/, attempts, hours],
    [/times out \((\d+) s each\)/, delivery.ANSWER_WITHIN / 1000],
    [/`dead-letters-many`, a page: at least (\d+) of them/, bound('dead-letters-many')],
    [/failed for over (\d+) hours/, FAILING_LONG / HOUR],
    [/is tried (\d+) times in (\d+) hours/, attempts, hours],
    [/given up, after its (\d+) attempts or after (\d+) days/, attempts, delivery.DELIVERY_KEPT / DAY],
    [/(?:or a|A)fter (\d+) days without a success and at least (\d+) failures/, failingDays, DISABLING.failures],
    [/switched on again, for (\d+) days/, delivery.DELIVERY_KEPT / DAY],
    [/(?:claimed more than|claimed concurrency is below) (\d+) %/, bound('lambda-concurrency')],
    [/refused more than (\d+) % of the calls .* at least (\d+) times in each/, ...alarm('table-refuses')],
    [/were answered 429 more than (\d+) times in 15 minutes/, bound('partner-rate')],
    [/\((\d+) a minute by default\)/, DEFAULT_LIMIT],
    [/More than (\d+) calls in 5 minutes came with a key/, bound('authentication-failures')],
    [/asked about at least (\d+) unknown keys in one minute/, UNKNOWN_KEYS_ASKED],
    [/After (\d+) of them in a minute a container reads/, UNKNOWN_KEYS_ASKED],
    [/unknown keys below (\d+) a minute/, UNKNOWN_KEYS_ASKED],
    [
      /first (\d+) characters of a production key, or (\d+) of a sandbox key/,
      PREFIX.producao.length + PARTNER + KEY,
      PREFIX.sandbox.length + PARTNER + KEY,
    ],
    [/within (\d+) hours of the first time/, APPROVAL_LIFETIME / HOUR],
    [/(?:read again|take it up) within (\d+) minutes/, SECRET_KEPT_MS / MINUTE],
    [/try again every (\d+) s, and use each secret until/, SECRET_RETRY_MS / 1000],
    [/until they have held it for (\d+) hours/, SECRET_HELD_MS / HOUR],
    [/after (\d+) hours every call that needs the keys is answered 503/, SECRET_HELD_MS / HOUR],
    [/blocked more than (\d+) % of at least (\d+) calls/, ...alarm('firewall-blocks')],
    [/is shown ends within (\d+) days/, CERTIFICATE_DAYS],
    [/(?:job was completed for|that ended in the last) (\d+) hours/, COPIED_WITHIN / HOUR],
    [/time in its event differed by more than (\d+) minutes/, MOST_DIFFERENCE_MS / MINUTE],
    [/\| (\d+), one for each function of the service stack/, FUNCTIONS.length],
  ],
  'infra/README.md': [
    [/Functions take it up within (\d+) minutes/, SECRET_KEPT_MS / MINUTE],
    [/or for up to (\d+) hours if it cannot read its secrets again/, SECRET_HELD_MS / HOUR],
    [/may seal by it for (\d+) more minutes/, SECRET_KEPT_MS / MINUTE + 1],
    [/It refuses until (\d+) minutes after the last change of the keys/, OLD_KEYS_END / MINUTE],
    [
      /copy may exist: (\d+) days, or ([\d,]+) with/,
      copyDays({ evidence: undefined }),
      copyDays({ evidence: COPYING }),
    ],
    [/moves the CPFs, at (\d+) capacity units a second/, reindexRows.body.parse({}).units_per_second],
    [/seals the old rows again, at (\d+) capacity units/, reencryptRows.body.parse({}).units_per_second],
    [/the service's own schedules need (\d+)\./, stage.pollShards + [POLLERS.sweeper, POLLERS.erasures, PROBE].length],
    [/days in the sandbox \((\d+) to 1,825\)/, SHORTEST_TERM],
    [/rows are written (\d+) minutes later/, INDEX_KEY_WAITS.before / MINUTE],
    [/(\d+) minutes after that \(the command says when\)/, INDEX_KEY_WAITS.after / MINUTE],
    [/What Idempotency-Keys have left ends by itself within (\d+) days/, IDEMPOTENCY_TTL.analyses / DAY],
  ],
  'infra/AWS.md': [
    [/submit-analyses ends at (\d+) s/, timeout('submit-analyses')],
    [/The poller ends at (\d+) s/, timeout(POLLERS.outcomes)],
    [/(\d+) s and 180 s/, timeout(DELIVERY_WORKER)],
    [/waits in the queue for (\d+) minutes at most/, delivery.QUEUE_WAIT / MINUTE],
  ],
  'shared/domain/simulations/pricing/README.md': [
    [/older than (\d+) years and (\d+) months on the last due date/, Math.floor(oldest / 12), oldest % 12],
    [/75 years old today gets at most (\d+) months/, oldest - 75 * 12],
    [/age is taken as (\d+)/, ASSUMED_AGE],
    [/monthly fee up to R\$ ([\d.]+) does not count/, Number(RULES.sfhFee.value)],
    [/A rate of ([\d.]+) % is within the limit/, Number(RULES.sfhRate.value)],
    [/housing rules, R\$ 10,000,(\d+)/, Number(RULES.largestFinanced.value) % 1_000_000],
    [/estimated at (\d+) % of the property/, Number(RULES.expenses.value)],
  ],
  'test/bench/README.md': [
    [/\(a\) ([\d.]+) times a bare Node/, BUDGETS[11].overBareNode],
    [/first call (\d+) times the second one, and (\d+) ms/, BUDGETS[11].firstOverSecondCall, BUDGETS[11].firstCallMs],
    [/\/health: ([\d.]+) times/, BUDGETS[11].healthOverBareNode],
    [/get-lead ([\d.]+) over http and ([\d.]+) over TLS/, ...Object.values(BUDGETS[12]['get-lead'])],
    [/create-simulation ([\d.]+) and ([\d.]+)/, ...Object.values(BUDGETS[12]['asking banks'])],
    [/(\d+) microseconds, GET \/v1\/leads\/\{id\} (\d+)/, BUDGETS[14].submitting, BUDGETS[14].reading],
    [/one each in ([\d.]+) s, in batches in ([\d.]+) s/, BUDGETS[15].oneEach, BUDGETS[15].inBatches],
    [/one tick of 4 shards \((\d+) s\)/, BUDGETS[15].tick],
    [/(\d+) ms; six banks under both systems (\d+) ms/, BUDGETS[16].quote, BUDGETS[16].sixBanks],
    [/calls of one container \| (\d+) MB more/, BUDGETS[17].grownHeap],
    [/420 months: (\d+) KB, (\d+) ms/, BUDGETS[21].pdf.kilobytes, BUDGETS[21].pdf.ms],
    [/six banks: (\d+) KB, (\d+) ms/, BUDGETS[21].comparison.kilobytes, BUDGETS[21].comparison.ms],
    [/(\d+) MB more heap after 1,000/, BUDGETS[21].grownHeapMb],
    [/its median ([\d.]+) times/, BUDGETS[22].besideForgedKeys],
  ],
  'shared/partner/docs/pages/acompanhamento.md': [
    [/não decide em (\d+) dias/, analysis.PENDING_LIMIT / DAY],
    [/a partir de (\d+) dias/, analysis.CLOSE_LIMIT / DAY],
    [/Nada se perde por (\d+) dias/, delivery.DELIVERY_KEPT / DAY],
    [/2xx em até (\d+) segundos/, delivery.ANSWER_WITHIN / 1000],
    [/com ao menos (\d+) falhas/, DISABLING.failures],
    [/\(\*jitter\*\) de até (\d+) %/, delivery.JITTER * 100],
  ],
  'shared/partner/docs/pages/consentimento.md': [[/mais de (\d+) minutos/, CLOCK_DIFFERENCE / MINUTE]],
  'shared/partner/docs/pages/simulacao.md': [
    [/Depois de (\d+) dias da publicação/, RATE_AGE_LIMIT],
    [/até (\d+) meses mais tarde, se uma página/, LONGEST_EXTENSION],
    [/menos de (\d+) ou mais de (\d+) anos/, HOLDER_AGES.youngest, HOLDER_AGES.oldest],
  ],
  'shared/partner/docs/pages/english.md': [
    [/at most (\d+) KiB/, LARGEST_BODY / 1024],
    [/2xx\*\*, within (\d+) seconds/, delivery.ANSWER_WITHIN / 1000],
    [/the old one signs too, for (\d+) hours/, ROTATION_OVERLAP / HOUR],
    [/(\d+) attempts within (\d+) hours in production/, attempts, Math.floor(delivery.retrySpan('producao') / HOUR)],
  ],
  'shared/partner/docs/pages/erros.md': [[/das últimas (\d+) horas/, REFUSALS_KEPT.milliseconds / HOUR]],
  'shared/partner/docs/pages/fluxo.md': [
    [/passadas (\d+) horas do pedido/, analysis.SUBMIT_LIMIT / HOUR],
    [/cerca de (\d+) segundos/, OUTCOME_AFTER / 1000],
  ],
  'shared/partner/docs/pages/inicio.md': [[/até (\d+) KiB/, LARGEST_BODY / 1024]],
  'shared/partner/docs/pages/limites.md': [
    [/q=(\d+);w=60/, DEFAULT_LIMIT],
    [/as primeiras (\d+) passam/, DEFAULT_LIMIT],
  ],
  'shared/partner/docs/pages/sandbox.md': [
    [/que os (\d+) leads mais novos/, CALLERS_LOOKED_AT],
    [/a partir de (\d+) segundos/, OUTCOME_AFTER / 1000],
    [/A segunda chega cerca de (\d+) segundos depois/, delivery.RETRY_WAITS.sandbox[1]! / 1000],
  ],
  'shared/partner/docs/pages/perguntas.md': [
    [/Sem decisão em (\d+) dias/, analysis.PENDING_LIMIT / DAY],
    [/passadas (\d+) horas do pedido/, analysis.SUBMIT_LIMIT / HOUR],
  ],
  'shared/partner/docs/pages/producao.md': [
    [/segredo antigo assina por mais (\d+) horas/, ROTATION_OVERLAP / HOUR],
    [/olha os (\d+) leads mais novos/, CALLERS_LOOKED_AT],
    [/até (\d+) meses mais tarde, se uma página/, LONGEST_EXTENSION],
    [/recusas das últimas (\d+) horas/, REFUSALS_KEPT.milliseconds / HOUR],
  ],
  'shared/partner/docs/pages/rede.md': [
    [/tem (\d+) para `POST \/v1\/analises`, e (\d+) para/, timeout('submit-analyses'), timeout('get-lead')],
  ],
  'shared/partner/docs/pages/webhooks.md': [[/Por (\d+) horas, o segredo anterior/, ROTATION_OVERLAP / HOUR]],
  'shared/contract/README.md': [
    [/may make (\d+) calls a minute by default/, DEFAULT_LIMIT],
    [/has at most (\d+) KiB/, LARGEST_BODY / 1024],
    [
      /remembered for (\d+) days on analyses and for (\d+) hours on leads/,
      IDEMPOTENCY_TTL.analyses / DAY,
      IDEMPOTENCY_TTL.records / HOUR,
    ],
    [/locked for (\d+) s for the run that claimed it/, analysis.SUBMIT_LEASE / 1000],
    [/rate older than (\d+) days is a notice/, RATE_AGE_LIMIT],
    [/at most (\d+) months later if a page of the bank/, LONGEST_EXTENSION],
    [/holder is (\d+) to (\d+) years old/, HOLDER_AGES.youngest, HOLDER_AGES.oldest],
    [/sent only\s+within (\d+) hours of the submission/, analysis.SUBMIT_LIMIT / HOUR],
    [/After (\d+) days an analysis that is still pending/, analysis.PENDING_LIMIT / DAY],
    [/After (\d+) days a person/, analysis.CLOSE_LIMIT / DAY],
    [/at most (\d+) minutes in the future/, CLOCK_DIFFERENCE / MINUTE],
    [/`infra\/stages.ts`, (\d+) days\)/, stage.consentDays],
    [/outcome comes (\d+) s after/, OUTCOME_AFTER / 1000],
    [
      /refused calls of the last (\d+) hours, the newest (\d+):/,
      REFUSALS_KEPT.milliseconds / HOUR,
      REFUSALS_KEPT.newest,
    ],
    [/overlap of (\d+) hours, in which both secrets sign/, ROTATION_OVERLAP / HOUR],
    [/There are (\d+) attempts in production/, attempts],
    [/In the sandbox there are (\d+):/, delivery.RETRY_WAITS.sandbox.length],
    [/random addition of 0 to (\d+) %/, delivery.JITTER * 100],
    [/and the answer after (\d+) s/, delivery.ANSWER_WITHIN / 1000],
    [/the last (\d+) attempts/, delivery.REMEMBERED],
    [/after (\d+) days of failures without a success and at least (\d+) failures/, failingDays, DISABLING.failures],
    [/After (\d+) minutes a second pass/, SECOND_PASS_AFTER / MINUTE],
    [
      /(\d+) days after the last of its analyses is final; (\d+) days after the submission/,
      analysis.FORM_KEPT / DAY,
      (analysis.PENDING_LIMIT + analysis.FORM_KEPT) / DAY,
    ],
    [/\| consent, withdrawal of consent \| (\d+) years/, Math.floor(analysis.CONSENT_KEPT / (365 * DAY))],
    [/(\d+) days after it is final; a `suspensa` becomes `esgotada` at (\d+) days/, keptDays, keptDays],
    [/(\d+) days after its last use/, retention.sandboxDays],
    [/(\d+) months after its last use/, retention.monthsWithoutAnalysis],
    [/not before (\d+) years after the end of the last/, retention.yearsAfterAnalysis],
    [/For the last (\d+) days `GET/, NOTICE_DAYS],
  ],
  'infra/security/PRIVACY.md': [
    [/a holder of (\d+) to (\d+) years/, HOLDER_AGES.youngest, HOLDER_AGES.oldest],
    [/who decided for (\d+) hours/, APPROVAL_LIFETIME / HOUR],
    [/keeps its\s+last (\d+) attempts/, delivery.REMEMBERED],
    [/the form from (\d+) days after the last of its analyses/, analysis.FORM_KEPT / DAY],
    [/Consent and withdrawal end ([\d,]+) days after/, analysis.CONSENT_KEPT / DAY],
    [/end (\d+) days after the submission/, (analysis.PENDING_LIMIT + analysis.FORM_KEPT) / DAY],
    [/answer ends after (\d+) hours/, IDEMPOTENCY_TTL.records / HOUR],
    [/that of a submission after (\d+) days/, IDEMPOTENCY_TTL.analyses / DAY],
    [/an event (\d+) days after\s+it is final/, keptDays],
    [/(\d+) days in the sandbox, (\d+) months in/, retention.sandboxDays, retention.monthsWithoutAnalysis],
    [/A notice of (\d+) days/, NOTICE_DAYS],
  ],
  'infra/security/THREATS.md': [
    [/keeps the last (\d+) attempts/, delivery.REMEMBERED],
    [/for one call, within (\d+) h\b/, APPROVAL_LIFETIME / HOUR],
    [/sends it within (\d+) hours of the submission/, analysis.SUBMIT_LIMIT / HOUR],
  ],
  'shared/operator/README.md': [
    [/unsent for (\d+) s by its own clock/, analysis.SUBMIT_LEASE / 1000],
    [/older than (\d+) h is not sent/, analysis.SUBMIT_LIMIT / HOUR],
    [/After (\d+) days, the answer/, analysis.PENDING_LIMIT / DAY],
  ],
  'bin/manager/panel/page/help.md': [
    [/por (\d+) horas o anterior assina/, ROTATION_OVERLAP / HOUR],
    [/depois de (\d+) dias sem que nada chegue/, failingDays],
    [/passagens, com (\d+) minutos entre elas/, SECOND_PASS_AFTER / MINUTE],
    [/usada nos últimos (\d+)\s+dias/, KEY_IN_USE / DAY],
    [/recusou a uma unidade nas últimas (\d+) horas/, REFUSALS_KEPT.milliseconds / HOUR],
    [/consentimento fica (\d+) anos/, Math.floor(analysis.CONSENT_KEPT / (365 * DAY))],
    [/até (\d+) dias depois do último/, analysis.FORM_KEPT / DAY],
  ],
  'bin/manager/panel/page/screens/analyses.tsx': [[/Com (\d+) dias, o serviço/, analysis.PENDING_LIMIT / DAY]],
  'bin/manager/panel/page/screens/webhook.tsx': [[/por até (\d+) dias, até que/, delivery.DELIVERY_KEPT / DAY]],
  'shared/administration/deliveries.ts': [[/The last (\d+) attempts/, delivery.REMEMBERED]],
  'bin/manager/leads.ts': [[/A second pass follows after (\d+) minutes/, SECOND_PASS_AFTER / MINUTE]],
};

const ROWS = Object.entries(SENTENCES).flatMap(([document, rows]) =>
  rows.map(([sentence, ...numbers]) => [document, sentence, numbers] as const),
);

it.each(ROWS)('%s says %s with the numbers of the code', (document, sentence, numbers) => {
  const text = readFileSync(join(import.meta.dirname, '../..', document), 'utf8');
  const found = [...text.matchAll(new RegExp(sentence, 'g'))];
  expect(found.length, 'the sentence is gone').toBeGreaterThan(0);
  for (const [, ...places] of found) expect(places.map((place) => Number(place.replace(',', '')))).toEqual(numbers);
});

it('a half and a quarter in the runbook are the bounds of their alarms, in percent', () => {
  expect(['nothing-submitted', 'most-calls-fail'].map(bound)).toEqual([50, 50]);
  expect(conditionsOf('submissions-refused')).toMatchObject([{ above: 50 }, { below: 25 }]);
});
