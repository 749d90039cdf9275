import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { customerFields, KINDS, partnerPeople, pathsOf, WORDS } from '#infra/security/personal-fields.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TABLE = join(ROOT, 'shared/table');

const listed = ({ people, follows = {}, nobody }: (typeof KINDS)[number]) =>
  Object.keys(people).concat(Object.keys(follows), nobody.split(/\s+/).filter(Boolean));

it.each(KINDS)('each field of the row "$row" is a word of PRIVACY.md, or is known to be about nobody', (kind) => {
  const stored = Object.values(kind.formats).flatMap((format) => pathsOf(format));
  const missing = stored.filter((field) => !listed(kind).includes(field));
  expect(missing, `fields of the row ${kind.row} that infra/security/personal-fields.ts lacks`).toEqual([]);
  const gone = listed(kind).filter((field) => !stored.includes(field));
  expect(gone, `fields in infra/security/personal-fields.ts that the row ${kind.row} does not hold`).toEqual([]);
});

it('no field is both a word of PRIVACY.md and about nobody', () => {
  for (const kind of KINDS) {
    const people = Object.keys(kind.people).concat(Object.keys(kind.follows ?? {}));
    expect(people.filter((path) => kind.nobody.split(/\s+/).includes(path))).toEqual([]);
  }
});

it('the tables of PRIVACY.md have each word that a row holds, and name a row for each of their words', () => {
  const held = KINDS.flatMap(({ people, follows = {} }) => Object.values(people).concat(Object.values(follows)).flat());
  expect(Array.from(new Set(held)).sort()).toEqual(WORDS.toSorted());
  const rows = `${customerFields()}\n${partnerPeople()}`.split('\n').slice(2);
  expect(rows.filter((row) => /^\| [^|]+ \| +\|/.test(row))).toEqual([]);
});

/**
 * Formats of rows that hold nothing about customers, and the formats that only read a part of another row. Each is named
 * by file and constant, with its fields. A new field of one of them must be looked at: if it is about a person, the
 * format belongs into infra/security/personal-fields.ts.
 */
const WITHOUT_CUSTOMERS: Readonly<Record<string, string>> = {
  'analyses/analyses.ts partitionFormat': 'environment bank bucket',
  'analyses/analyses.ts rowFormat': 'through owed from to dueAt begin at',
  'analyses/analysis-list.ts listedSubmission': 'submissionId analyses bank situation',
  'analyses/spouses.ts rowFormat': 'leadId sk',
  'analyses/submissions.ts resumeFormat': 'submissionId analysisIds',
  'audit/approvals.ts rowFormat':
    'sk approvalId operation about target reason askedBy person state askedAt decidedBy usedAt usedBy',
  'audit/approvals.ts comparedFormat': 'shownHash usedMark usedState',
  'audit/approvals.ts sealedFormat': 'fields field value name replaces',
  'audit/audit.ts rowFormat': 'at who action target reason outcome result',
  'leads/erasure-ledger.ts subjectFormat': 'partnerId unitId environment leadId submissionId requestedAt cause',
  'leads/lead-erasure.ts passFormat': 'opportunities forms analyses consents at',
  'leads/lead-erasure.ts rowFormat':
    'unitId environment partnerId leadId state revision requestedAt opportunities forms pending passes cause nextCheckAt',
  'leads/lead-retention.ts unitNumberFormat': 'partnerId',
  'leads/lead-retention.ts markFormat': 'erasingSince',
  'partners/api-keys.ts entriesFormat': 'h s u d',
  'partners/partner-register.ts ownerFormat': 'partnerId',
  'partners/partners.ts namedFormat': 'name',
  'partners/partners.ts profileFormat': 'accountChangedAt',
  'partners/partners.ts agentFormat': 'name creci contact',
  'partners/partners.ts keyFormat': 'prefix createdAt',
  'partners/refused-calls.ts rowFormat': 'at method path code fields requestId',
  'partners/sandbox-checklist.ts evidence': 'kind id unitId at',
  'partners/sandbox-checklist.ts leadFormat': 'id reusedAt replayedAt',
  'rows/cpf-row.ts rowFormat': 'leadId',
  'rows/encryption.ts serviceKeysFormat': 'sealing current keys index nextIndex key from',
  'rows/encryption.ts retiredKeysFormat': 'key until',
  'rows/idempotency.ts rowFormat': 'fingerprint expiresAt lockedUntil resume leadId',
  'rows/index-keys.ts tableNames': 'names',
  'rows/outbox.ts dueFormat': 'eventId partnerId dueAt dueAttempt',
  'rows/table-scan.ts keyFormat': 'pk sk',
  'rows/table-scan.ts brokenFormat': 'broken brokenCount',
  'sealing/indexed-table.ts countsFormat': 'seen cpfs records recordsEndAt',
  'sealing/indexed-table.ts placeFormat': 'next after',
  'sealing/reencryption.ts versionFormat': 'version',
  'sealing/reencryption.ts cursorFormat': 'version after seen resealed',
  'sealing/reindexing.ts cursorFormat': 'name after seen moved removed',
  'sealing/reindexing.ts rowFormat': 'pk sk leadId expiresAt',
  'sealing/sealed-table.ts placeFormat': 'version settledAt after seen sealed',
  'webhooks/deliveries.ts suspendedFormat': 'eventId',
  'webhooks/deliveries.ts markFormat': 'textsDeletedAt',
  'webhooks/kept-deliveries.ts oldFormat': 'eventId',
  'webhooks/replays.ts listedFormat': 'createdAt',
  'webhooks/replays.ts eventFormat': 'eventId',
  'webhooks/unit-deliveries.ts listedFormat': 'eventId',
  'webhooks/unit-deliveries.ts resentFormat': 'resentAt',
  'webhooks/webhook-endpoints.ts webhookFormat':
    'url enabled previousUntil changedAt failures failingSince disabledBecause disabledAt setBy',
  'webhooks/webhook-endpoints.ts sealedWebhook': 'secret firstBy previousSecret token earlierTokens',
};

/** Formats of a part of a row, whose fields are looked at in the format of the row. */
const PARTS: readonly string[] = [
  'rows/outbox.ts resultFormat',
  'simulations/simulations.ts instalment',
  'simulations/simulations.ts projection',
  'simulations/simulations.ts offer',
  'simulations/simulations.ts customer',
  'simulations/simulations.ts refusal',
];

/** Returns the text of an expression, from its first character to the parenthesis that closes it. */
function expressionAt(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')' && --depth === 0) return text.slice(start, at + 1);
  }
  return text.slice(start);
}

/** The formats of shared/table that hold named fields, with the names of the fields. */
const FORMATS = globSync('**/*.ts', { cwd: TABLE }).flatMap((file) => {
  const text = readFileSync(join(TABLE, file), 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
  return [...text.matchAll(/^(export )?const (\w+) = (?=z\.\w+\()/gm)].flatMap((found) => {
    const [head, exported, name = ''] = found;
    const expression = expressionAt(text, found.index + head.length);
    const fields = [...expression.matchAll(/(\w+): |^ +(\w+),$/gm)].map(([, field, shorthand]) => field ?? shorthand);
    const format = { path: `${file} ${name}`, fields: fields.join(' '), name: exported && name };
    return fields.length === 0 ? [] : [format];
  });
});

it('each format of a row in shared/table is listed in personal-fields.ts, or is known to be about no customer', () => {
  const known = new Set(KINDS.flatMap(({ formats }) => Object.keys(formats)));
  const others = FORMATS.filter(({ path, name }) => !PARTS.includes(path) && !(name && known.has(name)));
  expect(FORMATS.length).toBeGreaterThan(40);
  expect(Object.fromEntries(others.map(({ path, fields }) => [path, fields]))).toEqual(WITHOUT_CUSTOMERS);
});
