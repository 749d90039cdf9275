import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { stageValues } from '#infra/stages.ts';
import { analysisInput } from '#shared/contract/analysis-request.ts';
import { withdrawalInput } from '#shared/contract/consent-withdrawal.ts';
import { leadInput, leadPatchInput } from '#shared/contract/lead.ts';
import { simulationInput } from '#shared/contract/simulation-request.ts';
import { CONSENT_KEPT, FORM_KEPT, PENDING_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { APPROVAL_LIFETIME } from '#shared/domain/audit/approvals.ts';
import { NOTICE_DAYS } from '#shared/domain/leads/retention.ts';
import { IDEMPOTENCY_TTL } from '#shared/domain/values/idempotency.ts';
import { days, hours } from '#shared/domain/values/time.ts';
import { DELIVERY_KEPT } from '#shared/domain/webhooks/delivery.ts';

const SENT: Readonly<Record<string, readonly z.core.$ZodType[]>> = {
  lead: [leadInput, leadPatchInput],
  simulation: [simulationInput],
  analysis: [analysisInput],
  withdrawal: [withdrawalInput],
};

/** Returns dotted names, such as `segundo_proponente.renda`. */
function fieldsOf(schema: z.core.$ZodType, name?: string): readonly string[] {
  if (schema instanceof z.ZodMiniOptional) return fieldsOf(schema.def.innerType, name);
  if (!(schema instanceof z.ZodMiniObject)) return name === undefined ? [] : [name];
  return Object.entries(schema.def.shape).flatMap(([field, part]) =>
    fieldsOf(part, name === undefined ? field : `${name}.${field}`),
  );
}

function glossary(): ReadonlyMap<string, string> {
  const text = readFileSync(join(import.meta.dirname, '../../shared/contract/GLOSSARY.md'), 'utf8');
  return new Map(
    Array.from(text.matchAll(/^\| `(.+)` \| (.+) \|$/gm), ([, name = '', english = '']) => [name, english]),
  );
}

export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [heading = [], ...rest] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [heading, `|${'---|'.repeat(rows[0]?.length ?? 0)}`].concat(rest).join('\n');
}

export function sentFields(): string {
  const english = glossary();
  const sent = Object.entries(SENT).map(
    ([kind, schemas]) => [kind, schemas.flatMap((schema) => fieldsOf(schema))] as const,
  );
  const fields = new Set(sent.flatMap(([, names]) => names));
  const rows = Array.from(fields, (field) => [
    `\`${field}\``,
    english.get(field.split('.').at(-1) ?? field) ?? '',
    sent.flatMap(([kind, names]) => (names.includes(field) ? [kind] : [])).join(', '),
  ]);
  return markdownTable([['field', 'meaning', 'sent with']].concat(rows));
}

export function keptFor(): string {
  const { leadRetention } = stageValues('prod', {});
  const terms = leadRetention && [
    ['lead in the sandbox', `${leadRetention.sandboxDays} days after its last use`],
    ['lead in production', `${leadRetention.monthsWithoutAnalysis} months after its last use`],
    ['the same, with an analysis', `not before ${leadRetention.yearsAfterAnalysis} years after the end of the last`],
    ['notice before the end of a lead', `${NOTICE_DAYS} days or more`],
  ];
  return markdownTable(
    [
      ['what', 'kept for'],
      ['form, in exports', `${FORM_KEPT / days(1)} days after the last of its analyses is final`],
      ['row of the form, row of the spouse', `${(PENDING_LIMIT + FORM_KEPT) / days(1)} days after the submission`],
      ['consent, withdrawal', `${CONSENT_KEPT / days(1)} days`],
      ['stored answer', `${IDEMPOTENCY_TTL.records / hours(1)} hours`],
      ['stored answer of a submission', `${IDEMPOTENCY_TTL.analyses / days(1)} days`],
      ['event', `${DELIVERY_KEPT / days(1)} days after it is final`],
      ['request for approval', `${APPROVAL_LIFETIME / hours(1)} hours`],
    ].concat(terms ?? []),
  );
}
