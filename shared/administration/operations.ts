import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { ASKING } from '../domain/audit/ports.ts';
import { ANALYSIS_OPERATIONS } from './analyses.ts';
import { APPROVAL_OPERATIONS } from './approvals.ts';
import { AUDIT_OPERATIONS } from './audit.ts';
import { BANK_RATE_OPERATIONS } from './bank-rates.ts';
import { DEAD_LETTER_OPERATIONS } from './dead-letters.ts';
import { DELIVERY_OPERATIONS } from './deliveries.ts';
import { confirm, dryRun, reason } from './fields.ts';
import { KEY_OPERATIONS } from './keys.ts';
import { LEAD_OPERATIONS } from './leads.ts';
import { EVERYONE, noun, type Operation } from './operation.ts';
import { OPERATOR_OPERATIONS } from './operator.ts';
import { PARTNER_OPERATIONS } from './partners.ts';
import { SERVICE_KEY_OPERATIONS } from './service-keys.ts';
import { UNIT_OPERATIONS } from './units.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

/** Unlike other answers, this answer has no field `ok`: code generators read the OpenAPI document unchanged. */
export const showOpenapi = noun('document').read('show-openapi', 'GET /openapi.json', {
  portuguese: 'Ver o documento da API',
  duties: EVERYONE,
  permission: { reads: [], writes: [] },
  answer: z.looseObject({
    openapi: z.literal('3.1.0'),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: described(z.looseObject({}), 'Each operation that the API has.'),
  }),
});

const VALUES = /* @__PURE__ */ [
  PARTNER_OPERATIONS,
  UNIT_OPERATIONS,
  KEY_OPERATIONS,
  WEBHOOK_OPERATIONS,
  DELIVERY_OPERATIONS,
  DEAD_LETTER_OPERATIONS,
  LEAD_OPERATIONS,
  ANALYSIS_OPERATIONS,
  OPERATOR_OPERATIONS,
  BANK_RATE_OPERATIONS,
  SERVICE_KEY_OPERATIONS,
  APPROVAL_OPERATIONS,
  AUDIT_OPERATIONS,
  [showOpenapi],
].flat();

type Values = { readonly [Value in (typeof VALUES)[number] as Value['operation']]: Value };
export type AdministrationOperation = keyof Values;

export const ADMINISTRATION_OPERATIONS: readonly Operation<AdministrationOperation>[] = VALUES;

/** Operations, and asking for an approval. */
export const AUDITED: readonly string[] = /* @__PURE__ */ VALUES.filter(({ audited }) => audited)
  .map(({ operation }): string => operation)
  .concat(ASKING);

export function operationNamed<Name extends AdministrationOperation>(name: Name): Operation<Name> {
  const found = ADMINISTRATION_OPERATIONS.find((value): value is Operation<Name> => value.operation === name);
  if (found === undefined) throw new Error(`the list of operations lacks ${name}`);
  return found;
}

/** Undefined if the operation has no such schema. */
export type SchemaOf<Name extends AdministrationOperation, Part extends 'params' | 'query' | 'body' | 'preview'> =
  Values[Name] extends Readonly<Record<Part, infer Found extends z.ZodMiniType>> ? Found : undefined;
type Sent<Found> = Found extends z.ZodMiniType ? z.input<Found> : Record<never, never>;

/** Without reason, confirm and dry_run. */
export type SentBody<Name extends AdministrationOperation> = Sent<SchemaOf<Name, 'body'>>;
/** Numbers and moments are text. */
export type SentQuery<Name extends AdministrationOperation> = Sent<SchemaOf<Name, 'query'>>;
export type AnswerOf<Name extends AdministrationOperation> = z.output<Values[Name]['answer']>;
export type PreviewOf<Name extends AdministrationOperation> =
  SchemaOf<Name, 'preview'> extends z.ZodMiniType ? z.output<SchemaOf<Name, 'preview'>> : never;

/**
 * With a preview, `reason` and `confirm` are optional in the document, since `dry_run` needs neither, unless the
 * preview is noted. The checks of shared/http demand them of the change itself.
 */
export function wholeBody({
  audited,
  confirm: confirmed,
  dryRun: dry,
  notedPreview,
  body,
}: Operation): z.ZodMiniObject {
  const fields: Record<string, z.core.$ZodType> = { ...body?.shape };
  if (audited) fields['reason'] = dry && !notedPreview ? z.optional(reason()) : reason();
  if (confirmed) fields['confirm'] = dry || confirmed.sometimes ? z.optional(confirm()) : confirm();
  if (dry) fields['dry_run'] = z.optional(dryRun());
  return z.strictObject(fields);
}
