import * as z from 'zod/mini';
import { analysisInput, hasSpouse, SPOUSE } from '#shared/contract/analysis-request.ts';
import { described } from '#shared/contract/described.ts';
import { MARITAL_STATUSES } from '#shared/domain/leads/lead.ts';

/** The spouse's fields again, unbounded: linters want to see what `required` names. */
const anything = Object.fromEntries(SPOUSE.map((field) => [field, {}]));

/**
 * The submission as partners must send it. The service leaves the four fields of the consent to a check of their own,
 * which answers another status; to partners they are required like the others.
 */
export const submissionSchema = described(
  z.extend(
    z.required(analysisInput, { consentimento_timestamp: true, consentimento_ip: true, consentimento_canal: true }),
    { consentimento: described(z.literal(true), { ...z.globalRegistry.get(analysisInput.shape.consentimento) }) },
  ),
  {
    id: 'AnaliseNova',
    // A condition, and no alternatives: generators take alternatives beside properties for types of their own, and pass
    // over a condition.
    if: { properties: { estado_civil: { enum: MARITAL_STATUSES.filter(hasSpouse) } }, required: ['estado_civil'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: anything, required: [...SPOUSE], unevaluatedProperties: true },
  },
);
