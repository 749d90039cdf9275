import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { ANALYSIS_OPERATIONS } from './analyses.ts';
import { APPROVAL_OPERATIONS } from './approvals.ts';
import { AUDIT_OPERATIONS } from './audit.ts';
import { DEAD_LETTER_OPERATIONS } from './dead-letters.ts';
import { DELIVERY_OPERATIONS } from './deliveries.ts';
import { confirm, dryRun, reason } from './fields.ts';
import { INDEXING_OPERATIONS } from './indexing.ts';
import { KEY_OPERATIONS } from './keys.ts';
import { LEAD_OPERATIONS } from './leads.ts';
import { EVERYONE, noun, type Operation } from './operation.ts';
import { OPERATOR_OPERATIONS } from './operator.ts';
import { PARTNER_OPERATIONS } from './partners.ts';
import { SEALING_OPERATIONS } from './sealing.ts';
import { UNIT_OPERATIONS } from './units.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

/** OpenAPI's own form, and no `ok`: generators read it as it comes. */
export const showOpenapi = noun('document').read('show-openapi', 'GET /openapi.json', {
  portuguese: 'Ver o documento da API',
  duties: EVERYONE,
  permission: {},
  answer: z.looseObject({
    openapi: z.literal('3.1.0'),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: described(z.looseObject({}), 'Each operation that the API has.'),
  }),
});

/** In the order of the document. */
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
  SEALING_OPERATIONS,
  INDEXING_OPERATIONS,
  APPROVAL_OPERATIONS,
  AUDIT_OPERATIONS,
  [showOpenapi],
].flat();

type Values = { readonly [Value in (typeof VALUES)[number] as Value['operation']]: Value };
/** Names of the operations. */
export type AdministrationOperation = keyof Values;

/** Every operation, in the order of the document: what gateway, policies, clients, document and tests go by. */
export const ADMINISTRATION_OPERATIONS: readonly Operation<AdministrationOperation>[] = VALUES;

/** The operation of a name. */
export function operationNamed<Name extends AdministrationOperation>(name: Name): Operation<Name> {
  const found = ADMINISTRATION_OPERATIONS.find((value): value is Operation<Name> => value.operation === name);
  if (found === undefined) throw new Error(`the list of operations lacks ${name}`);
  return found;
}

/** A schema of an operation; undefined where it has none. */
export type SchemaOf<Name extends AdministrationOperation, Part extends 'params' | 'query' | 'body' | 'preview'> =
  Values[Name] extends Readonly<Record<Part, infer Found extends z.ZodMiniType>> ? Found : undefined;
type Sent<Found> = Found extends z.ZodMiniType ? z.input<Found> : Record<never, never>;

/** What a client sends in the body, beside reason, confirm and dry_run. */
export type SentBody<Name extends AdministrationOperation> = Sent<SchemaOf<Name, 'body'>>;
/** What a client sends in the query; numbers and moments as text. */
export type SentQuery<Name extends AdministrationOperation> = Sent<SchemaOf<Name, 'query'>>;
/** The body of a 200. */
export type AnswerOf<Name extends AdministrationOperation> = z.output<Values[Name]['answer']>;
/** The body of a 200 to `dry_run: true`. */
export type PreviewOf<Name extends AdministrationOperation> =
  SchemaOf<Name, 'preview'> extends z.ZodMiniType ? z.output<SchemaOf<Name, 'preview'>> : never;

/**
 * The whole body of an operation as the document shows it: its own fields, and those that its kind adds. A `reason` and a
 * `confirm` that `dry_run` makes superfluous are optional here; the stack demands them of the change itself.
 */
export function wholeBody({ audited, confirm: confirmed, dryRun: dry, body }: Operation): z.ZodMiniObject {
  const fields: Record<string, z.core.$ZodType> = { ...body?.shape };
  if (audited) fields['reason'] = dry ? z.optional(reason()) : reason();
  if (confirmed) fields['confirm'] = dry || confirmed.sometimes ? z.optional(confirm()) : confirm();
  if (dry) fields['dry_run'] = z.optional(dryRun());
  return z.strictObject(fields);
}
