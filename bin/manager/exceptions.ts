import type { AdministrationOperation } from '#shared/administration/operations.ts';
import type { Fields } from './options.ts';
import { moment } from './table.ts';

// Facts that do not follow from the operations. A test limits this file: a fact that can follow from a schema belongs
// there.

type ByOperation<Value> = Readonly<Partial<Record<AdministrationOperation, Value>>>;

export const NOUNS: Readonly<Record<string, string>> = {
  webhooks: 'webhook',
  rates: 'rate',
  'dead-letters': 'dlq',
};

export const VERBS: Readonly<Record<string, string>> = {
  'set-incident-contact': 'incident-contact',
  'list-refusals': 'refusals',
  'list-failing-webhooks': 'failing',
  'rotate-webhook-secret': 'rotate',
  'list-dead-letters': 'inspect',
  'redrive-dead-letters': 'redrive',
  'discard-dead-letters': 'discard',
  'show-sandbox-checklist': 'checklist',
  'apply-erasure-ledger': 'apply-ledger',
  'list-pending-analyses': 'list',
};

/** answer-text.ts describes the form of these texts. */
export const COLUMNS: ByOperation<string> = {
  'list-partners': 'partner_id name:12 validated_at:minute created_at:minute',
  'show-sandbox-checklist': 'step exercised evidence:20',
  'validate-partner': 'step exercised evidence:20',
  'list-keys': 'key_id last_four environment unit_id scopes:6 state last_used_on',
  'list-refusals': 'at:minute method path:12 code:16 fields:6 request_id:6',
  'list-failing-webhooks': 'partner_id environment failing_since:minute failures disabled_because:6 url:6',
  'list-deliveries': 'event_id state attempts created_at:minute type:6 cause:6',
  'replay-deliveries': 'event_id state attempts created_at:minute type:6',
  'list-bank-rates': 'bank segment value:7 indexer:9 date:10 used_from:10 refused_from:12 still_shown:11',
  'list-pending-analyses':
    'analysis_id unit_id environment:7 bank created_at:minute query_number:6 unanswerable_since:minute',
  'list-audit': 'at:minute action:12 outcome who:19 target:6 reason:6',
};

/** Text of an empty list that does not mean "none", by the name of its field. */
export const EMPTY: Readonly<Record<string, string>> = { scopes: 'all' };

/** Fields of a preview that the change sends back, so that it does what the person has seen. */
export const CARRIED: ByOperation<Readonly<Record<string, string>>> = {
  'replay-deliveries': { until: 'until' },
  'set-webhook': { current_url: 'replaces' },
};

/** Previews after which the person is not asked. */
export const HARMLESS: ByOperation<(preview: Fields) => boolean> = {
  'set-webhook': ({ waiting }) => waiting === 0,
};

/** Tests for answers of 200 that are failures, by the field's name, each with the sentence that reports the failure. */
export const FAILURES: Readonly<Record<string, { is: (value: unknown) => boolean; says: string }>> = {
  faults: {
    is: (value) => Array.isArray(value) && value.length > 0,
    says: 'the change would be refused: see above',
  },
  accepted: { is: (value) => value === false, says: 'events may not go to this address' },
  delivered: { is: (value) => value === false, says: 'the endpoint did not accept the test event' },
  redriven: { is: (value) => value === 0, says: 'nothing was redriven: see dlq inspect, or try again in two minutes' },
  discarded: {
    is: (value) => value === 0,
    says: 'nothing was discarded: see dlq inspect, or try again in two minutes',
  },
  broken_count: { is: (value) => value !== 0, says: 'some rows are broken: see the runbook' },
  unreadable: { is: (value) => value !== 0, says: 'entries cannot be read: see section erasure of the runbook' },
  erasures: {
    is: (value) => JSON.stringify(value).includes('"aguardando"'),
    says: 'some wait for banks and can be read: keep traffic away, let the pollers run, and run this again',
  },
  failed: {
    is: (value) => Array.isArray(value) && value.length > 0,
    says: 'erasures were interrupted: run this again until none is interrupted',
  },
};

export interface Look {
  readonly from: AdministrationOperation;
  /** The list of the answer, and the field by which its row is chosen. Without `row`, the whole answer is shown. */
  readonly row?: readonly [list: string, by: string];
  /** Fields that the change takes from the shown answer, if the person has not given them. */
  readonly gives?: readonly string[];
}

const KEY: Look = { from: 'list-keys', row: ['keys', 'key_id'] };
const WEBHOOK: Look = { from: 'show-webhook', row: ['webhooks', 'environment'] };
const APPROVAL: Look = { from: 'list-approvals', row: ['approvals', 'approval_id'], gives: ['operation'] };

/** Shows the thing that a change without a preview is about, if the noun's own `show` operation does not show it. */
export const LOOKS: ByOperation<Look> = {
  'rotate-key': KEY,
  'revoke-key': KEY,
  'rotate-webhook-secret': WEBHOOK,
  'disable-webhook': WEBHOOK,
  'close-analysis': { from: 'show-analysis' },
  'approve-approval': APPROVAL,
  'refuse-approval': APPROVAL,
};

const joined = (parts: readonly unknown[], sign: string) =>
  parts.filter((part) => part !== null && part !== undefined).join(sign);

/** Rows that are read as a name and a text, by the name of their list. No text is cut: people decide by the texts. */
export const LINES: Readonly<Record<string, (row: Fields) => readonly [string, string]>> = {
  fields: ({ field, value, name, replaces }) => [
    String(field),
    joined([value ?? 'none', name && `(${name})`, replaces && `replaces ${replaces}`], ' '),
  ],
  history: ({ number, at, status, failure, milliseconds, detail }) => [
    `attempt ${number}`,
    joined(
      [
        joined(
          [joined([moment(Date.parse(`${at}`)), failure ?? 'delivered', status], ' '), `${milliseconds} ms`],
          ', ',
        ),
        detail,
      ],
      ': ',
    ),
  ],
};
