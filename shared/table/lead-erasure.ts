import * as z from 'zod/mini';
import { type Analysis, isPending } from '../domain/analyses/analysis.ts';
import { ERASURE_STATES, type Erasure, type ErasurePass } from '../domain/leads/erasure.ts';
import type { Erasures } from '../domain/leads/ports.ts';
import type { Clock } from '../domain/values/clock.ts';
import type { LeadId, OpportunityId, PartnerId, UnitId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Tenancy } from '../domain/values/tenancy.ts';
import { beforeRetry, getRow, getRows, type Item, putRow, queryPage, type TransactItem, transact } from './client.ts';
import { cpfKeysOldestFirst } from './index-keys.ts';
import {
  dueFrom,
  ERASURES_DUE,
  erasureDue,
  erasureKey,
  formKey,
  leadKey,
  leadOpportunityKey,
  opportunityKey,
  type RowKey,
} from './keys.ts';
import { analysesOfLead, opportunityIdsOf } from './lead-rows.ts';
import { readLead } from './leads.ts';
import { type FieldsOf, numberOf } from './row-format.ts';

const passFormat = z.object({
  opportunities: z.number(),
  forms: z.number(),
  analyses: z.number(),
  consents: z.number(),
  at: z.number(),
} satisfies FieldsOf<ErasurePass>);

const rowFormat = z.object({
  unitId: numberOf<UnitId>(),
  environment: z.enum(ENVIRONMENTS),
  partnerId: numberOf<PartnerId>(),
  leadId: numberOf<LeadId>(),
  state: z.enum(ERASURE_STATES),
  revision: z.number(),
  requestedAt: z.number(),
  pending: z.number(),
  passes: z.array(passFormat),
  nextCheckAt: z.optional(z.number()),
} satisfies FieldsOf<Erasure>);

const dueFormat = z.pick(rowFormat, { unitId: true, environment: true, leadId: true });

/** Deletions of one transaction. */
const BATCH = 50;
/** Simulations that go in the transaction of the mark, which DynamoDB ends at 100 parts; older ones go just before. */
const WITH_MARK = 90;
/** How much longer the pause gets each time that a lead was used while its erasure was about to mark it, in milliseconds. */
const MARK_PAUSE = 40;

export function tableErasures(clock: Clock): Erasures {
  return {
    get: readErasure,

    async exists({ leadId, ...tenancy }) {
      return (await getRow(leadKey(tenancy, leadId))) !== undefined;
    },

    async begin(erasure) {
      const outcome = await putRow({ Item: rowOf(erasure), ConditionExpression: 'attribute_not_exists(pk)' });
      return outcome === 'written' ? erasure : rowFormat.parse(outcome.refused);
    },

    mark: (erasure, nextCheckAt) => mark(erasure, nextCheckAt, clock),
    erase,

    async close(erasure, pass, nextCheckAt) {
      const after: Erasure = {
        ...erasure,
        revision: erasure.revision + 1,
        state: 'apagado',
        passes: [...erasure.passes, pass],
        nextCheckAt,
      };
      const outcome = await transact([overwrite(erasure, after), emptyLead(erasure, clock())]);
      return outcome === 'written' ? after : asItStands(erasure);
    },

    finish: (erasure, pass) =>
      write(erasure, { ...erasure, passes: [...erasure.passes, pass], nextCheckAt: undefined }),

    async due(before, after) {
      const query = {
        IndexName: 'byDue',
        KeyConditionExpression: 'duePk = :pk AND dueSk < :before',
        ExpressionAttributeValues: { ':pk': ERASURES_DUE, ':before': dueFrom(before) },
      };
      const { items, next } = await queryPage(query, after);
      return { items: items.map((item) => dueFormat.parse(item)), next };
    },
  };
}

async function readErasure(tenancy: Tenancy, leadId: LeadId): Promise<Erasure | undefined> {
  const item = await getRow(erasureKey(tenancy, leadId));
  return item && rowFormat.parse(item);
}

function rowOf(erasure: Erasure): Item {
  const { leadId, nextCheckAt } = erasure;
  return {
    ...erasureKey(erasure, leadId),
    ...erasure,
    ...(nextCheckAt !== undefined && erasureDue(erasure, leadId, nextCheckAt)),
  };
}

function overwrite(before: Erasure, after: Erasure): TransactItem {
  return {
    Put: {
      Item: rowOf(after),
      ConditionExpression: 'revision = :seen',
      ExpressionAttributeValues: { ':seen': before.revision },
    },
  };
}

/** Writes an erasure as it becomes; gives it as it stands where another run has gone on with it. */
async function write(before: Erasure, next: Erasure): Promise<Erasure> {
  const after = { ...next, revision: before.revision + 1 };
  return (await transact([overwrite(before, after)])) === 'written' ? after : asItStands(before);
}

async function asItStands(erasure: Erasure): Promise<Erasure> {
  const item = await readErasure(erasure, erasure.leadId);
  if (!item) throw new Error(`the erasure of lead ${erasure.leadId} is gone`);
  return item;
}

/**
 * Nothing that hangs on the lead can come between what is read here and the mark: each such row is written in one
 * transaction with the lead, as a new version of it or counted in its `uses`.
 */
async function mark(erasure: Erasure, nextCheckAt: number, clock: Clock): Promise<Erasure> {
  const { leadId } = erasure;
  for (let attempt = 1; ; attempt++) {
    const lead = await getRow(leadKey(erasure, leadId));
    const { analyses } = await analysesOfLead(erasure, leadId);
    const pending = analyses.filter(({ situation }) => isPending(situation)).length;
    if (pending > 0) return write(erasure, { ...erasure, pending, nextCheckAt });
    const opportunityIds = await opportunityIdsOf(erasure, leadId);
    const older = Math.max(0, opportunityIds.length - WITH_MARK);
    await deleteOpportunities(erasure, leadId, opportunityIds.slice(0, older));
    const after: Erasure = {
      ...erasure,
      revision: erasure.revision + 1,
      state: 'apagando',
      pending: 0,
      nextCheckAt,
    };
    const outcome = await transact([
      overwrite(erasure, after),
      markLead(erasure, lead, clock()),
      ...opportunityIds.slice(older).map((id) => ({ Delete: { Key: opportunityKey(erasure, id) } })),
    ]);
    if (outcome === 'written') return after;
    if (outcome[0]?.failed) return asItStands(erasure);
    await beforeRetry(MARK_PAUSE * attempt);
  }
}

/** The transaction's part that marks a lead which is still as it was read. */
function markLead(erasure: Erasure, lead: Item | undefined, now: number): TransactItem {
  const uses = lead?.['uses'];
  return {
    Update: {
      Key: leadKey(erasure, erasure.leadId),
      UpdateExpression: 'SET erasingSince = :now',
      ConditionExpression: `version = :seen AND ${uses === undefined ? 'attribute_not_exists(uses)' : 'uses = :uses'}`,
      ExpressionAttributeValues: {
        ':now': now,
        ':seen': lead?.['version'],
        ...(uses !== undefined && { ':uses': uses }),
      },
    },
  };
}

/** The transaction's part that leaves of a lead its number, which the evidence names. */
function emptyLead(erasure: Erasure, now: number): TransactItem {
  return {
    Update: {
      Key: leadKey(erasure, erasure.leadId),
      UpdateExpression: 'SET erasedAt = :now REMOVE sealed, listPk, listSk, reusedAt, replayedAt, uses, nonce',
      ConditionExpression: 'attribute_exists(erasingSince)',
      ExpressionAttributeValues: { ':now': now },
    },
  };
}

async function erase(erasure: Erasure): Promise<Omit<ErasurePass, 'at'>> {
  const { leadId } = erasure;
  const { analyses, consents } = await analysesOfLead(erasure, leadId);
  const forms = await formsOf(erasure, analyses);
  await deleteRows(forms);
  const opportunityIds = await opportunityIdsOf(erasure, leadId);
  await deleteOpportunities(erasure, leadId, opportunityIds);
  await forgetCpf(erasure);
  return { opportunities: opportunityIds.length, forms: forms.length, analyses: analyses.length, consents };
}

/** The forms that are still there. */
async function formsOf(tenancy: Tenancy, analyses: readonly Analysis[]): Promise<RowKey[]> {
  const keys = [...new Set(analyses.map(({ submissionId }) => submissionId))].map((id) => formKey(tenancy, id));
  const rows = await getRows(keys);
  return keys.filter((_, index) => rows[index] !== undefined);
}

/** Ends the way from the CPF to this lead, unless a new lead of the same person has taken it over. */
async function forgetCpf(erasure: Erasure): Promise<void> {
  const item = await getRow(leadKey(erasure, erasure.leadId));
  if (!item?.['sealed']) return;
  const { cpf } = await readLead(erasure, item);
  // The older index key's row first: once it is gone, a re-index can no longer move it to where nobody looks again.
  for (const Key of await cpfKeysOldestFirst(erasure, cpf)) {
    await transact([
      {
        Delete: {
          Key,
          ConditionExpression: 'leadId = :erased',
          ExpressionAttributeValues: { ':erased': erasure.leadId },
        },
      },
    ]);
  }
}

async function deleteOpportunities(tenancy: Tenancy, leadId: LeadId, ids: readonly OpportunityId[]): Promise<void> {
  await deleteRows(ids.flatMap((id) => [opportunityKey(tenancy, id), leadOpportunityKey(tenancy, leadId, id)]));
}

async function deleteRows(keys: readonly RowKey[]): Promise<void> {
  for (let start = 0; start < keys.length; start += BATCH) {
    await transact(keys.slice(start, start + BATCH).map((Key) => ({ Delete: { Key } })));
  }
}
