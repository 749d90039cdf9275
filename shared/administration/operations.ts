import * as z from 'zod/mini';
import { listPendingAnalyses, pollAnalysis, recordOutcomes, showAnalysis } from './analyses.ts';
import { exportAudit, listAudit } from './audit.ts';
import { discardDeadLetters, listDeadLetters, redriveDeadLetters } from './dead-letters.ts';
import { listDeliveries, replayDeliveries, showDelivery } from './deliveries.ts';
import { showOpenapi } from './document.ts';
import { confirm, dryRun, type Exchange, reason } from './fields.ts';
import { countOlderRows, reindexRows, retireIndexKey, rotateIndexKey } from './indexing.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts';
import { applyErasureLedger, eraseLead, exportLead, findLeads } from './leads.ts';
import { setOperatorToken, showOperator } from './operator.ts';
import { createPartner, listPartners, showPartner, showSandboxChecklist, validatePartner } from './partners.ts';
import { setProbeKey } from './probe.ts';
import { setRate } from './rates.ts';
import type { AdministrationRoute } from './route.ts';
import type { AdministrationOperation } from './routes.ts';
import {
  countSealedRows,
  initServiceKeys,
  reencryptRows,
  retireSealingKey,
  rotateSealingKey,
  showSealingKeys,
} from './sealing.ts';
import { createUnit, listUnits, presentUnit } from './units.ts';
import {
  disableWebhook,
  enableWebhook,
  pingWebhook,
  rotateWebhookSecret,
  setWebhook,
  showWebhook,
} from './webhooks.ts';

/** What each operation takes and answers with: for clients and the document. A function imports its own alone. */
export const EXCHANGES = {
  'list-partners': listPartners,
  'create-partner': createPartner,
  'show-partner': showPartner,
  'show-sandbox-checklist': showSandboxChecklist,
  'validate-partner': validatePartner,
  'list-units': listUnits,
  'create-unit': createUnit,
  'present-unit': presentUnit,
  'list-keys': listKeys,
  'create-key': createKey,
  'rotate-key': rotateKey,
  'revoke-key': revokeKey,
  'set-rate': setRate,
  'show-webhook': showWebhook,
  'set-webhook': setWebhook,
  'rotate-webhook-secret': rotateWebhookSecret,
  'ping-webhook': pingWebhook,
  'enable-webhook': enableWebhook,
  'disable-webhook': disableWebhook,
  'list-deliveries': listDeliveries,
  'show-delivery': showDelivery,
  'replay-deliveries': replayDeliveries,
  'list-dead-letters': listDeadLetters,
  'redrive-dead-letters': redriveDeadLetters,
  'discard-dead-letters': discardDeadLetters,
  'find-leads': findLeads,
  'export-lead': exportLead,
  'erase-lead': eraseLead,
  'apply-erasure-ledger': applyErasureLedger,
  'list-pending-analyses': listPendingAnalyses,
  'show-analysis': showAnalysis,
  'poll-analysis': pollAnalysis,
  'record-outcomes': recordOutcomes,
  'show-operator': showOperator,
  'set-operator-token': setOperatorToken,
  'set-probe-key': setProbeKey,
  'show-sealing-keys': showSealingKeys,
  'count-sealed-rows': countSealedRows,
  'init-service-keys': initServiceKeys,
  'rotate-sealing-key': rotateSealingKey,
  'reencrypt-rows': reencryptRows,
  'retire-sealing-key': retireSealingKey,
  'count-older-rows': countOlderRows,
  'rotate-index-key': rotateIndexKey,
  'reindex-rows': reindexRows,
  'retire-index-key': retireIndexKey,
  'list-audit': listAudit,
  'export-audit': exportAudit,
  'show-openapi': showOpenapi,
} as const satisfies Readonly<Record<AdministrationOperation, Exchange>>;

type Exchanges = typeof EXCHANGES;
type Part<Name extends AdministrationOperation, Key extends keyof Exchange> =
  Exchanges[Name] extends Readonly<Record<Key, infer Schema extends z.ZodMiniType>> ? Schema : undefined;
type Sent<Schema> = Schema extends z.ZodMiniType ? z.input<Schema> : Record<never, never>;

/** What a client sends in the body, beside reason, confirm and dry_run. */
export type SentBody<Name extends AdministrationOperation> = Sent<Part<Name, 'body'>>;
/** What a client sends in the query; numbers and moments as text. */
export type SentQuery<Name extends AdministrationOperation> = Sent<Part<Name, 'query'>>;
/** The body of a 200. */
export type AnswerOf<Name extends AdministrationOperation> = z.output<Exchanges[Name]['answer']>;
/** The body of a 200 to `dry_run: true`. */
export type PreviewOf<Name extends AdministrationOperation> =
  Part<Name, 'preview'> extends z.ZodMiniType ? z.output<Part<Name, 'preview'>> : never;

/**
 * The whole body of an operation as the document shows it: its own fields, and those that its route's row adds. A `reason`
 * and a `confirm` that `dry_run` makes superfluous are optional here; the stack demands them of the change itself.
 */
export function wholeBody(
  { audited, confirm: confirmed, dryRun: dry }: AdministrationRoute,
  { body }: Exchange,
): z.ZodMiniObject {
  return z.strictObject({
    ...body?.shape,
    ...(audited && { reason: dry ? z.optional(reason()) : reason() }),
    ...(confirmed && { confirm: dry || confirmed.sometimes ? z.optional(confirm()) : confirm() }),
    ...(dry && { dry_run: z.optional(dryRun()) }),
  });
}
