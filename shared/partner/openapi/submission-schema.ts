import * as z from 'zod/mini';
import { analysisInput, hasSpouse, SPOUSE } from '#shared/contract/analysis-request.ts';
import { described } from '#shared/contract/described.ts';
import { MARITAL_STATUSES } from '#shared/domain/leads/lead.ts';

/** The spouse's fields once more, without rules: linters want to see the fields that `required` names. */
const anything = Object.fromEntries(SPOUSE.map((field) => [field, {}]));

/** The service checks the four fields of the consent later, with another status, but partners must send them. */
export const submissionSchema = described(
  z.extend(
    z.required(analysisInput, { consentimento_timestamp: true, consentimento_ip: true, consentimento_canal: true }),
    { consentimento: described(z.literal(true), { ...z.globalRegistry.get(analysisInput.shape.consentimento) }) },
  ),
  {
    id: 'AnaliseNova',
    // Generators make types of their own from alternatives next to properties, and ignore a condition.
    if: { properties: { estado_civil: { enum: MARITAL_STATUSES.filter(hasSpouse) } }, required: ['estado_civil'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: anything, required: [...SPOUSE], unevaluatedProperties: true },
  },
);
