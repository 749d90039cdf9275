import * as z from 'zod/mini';
import { type Analysis, isPending, splitForm } from '#shared/domain/analyses/analysis.ts';
import {
  consentCutoff,
  ERASURE_STATES,
  type ErasedSubject,
  type Erasure,
  type ErasurePass,
  type ErasureSubject,
  type SpouseSubject,
} from '#shared/domain/leads/erasure.ts';
import type { Erasures } from '#shared/domain/leads/ports.ts';
import { MOST_INDEX_KEYS } from '#shared/domain/sealing/rotation.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Page, type Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant, Milliseconds } from '#shared/domain/values/time.ts';
import { ChangedMeanwhile } from '#shared/runtime/log.ts';
import { analysesOfLead, unlistOutcome } from '../analyses/analysis-row.ts';
import { spouseKeys } from '../analyses/spouses.ts';
import { openForm } from '../analyses/submissions.ts';
import {
  beforeRetry,
  getRow,
  getRows,
  type Item,
  queryAllRows,
  queryPage,
  type TransactItem,
  transact,
  transactNamed,
} from '../rows/client.ts';
import { outliveLead } from '../rows/consent-cutoff.ts';
import { cpfKeys, whileCpfLeadsTo } from '../rows/cpf-row.ts';
import { encrypt, ifItOpens } from '../rows/encryption.ts';
import { confirmIndexKeys } from '../rows/index-keys.ts';
import {
  dueQuery,
  ERASURES_DUE,
  erasureDue,
  erasureKey,
  formKey,
  leadKey,
  leadOpportunityKey,
  opportunityKey,
  type RowKey,
  recordList,
  sandboxLeadKey,
} from '../rows/keys.ts';
import { readLead, sameUses, sameWithdrawal, withdrawalIn } from '../rows/living-lead.ts';
import { type FieldsOf, numberOf } from '../rows/row-format.ts';
import { keyFormat, keyOf } from '../rows/table-scan.ts';
import { updateOf } from '../rows/update.ts';
import { opportunityIdsOf } from '../simulations/simulations.ts';
import { deleteReceiverTexts } from '../webhooks/receiver-texts.ts';
import { readableSubjects } from './erasure-ledger.ts';

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
  opportunities: z.number(),
  forms: z.number(),
  pending: z.number(),
  passes: z.array(passFormat),
  cause: z.optional(z.literal('retention')),
  nextCheckAt: z.optional(z.number()),
} satisfies FieldsOf<Erasure>);

/** A transaction takes 100 parts: the count, and for each form its row and a row of its spouse under each index key. */
const BATCH = Math.floor(99 / (1 + MOST_INDEX_KEYS));
/** A transaction takes 100 parts. `mark` deletes older simulations just before. */
const WITH_MARK = 90;
const MARK_PAUSE: Milliseconds = 40;

export class TableErasures implements Erasures {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  confirmIndexKeys(): Promise<void> {
    return confirmIndexKeys();
  }

  async get(tenancy: Tenancy, leadId: LeadId): Promise<Erasure | undefined> {
    const item = await getRow(erasureKey(tenancy, leadId));
    return item && rowFormat.parse(item);
  }

  async exists({ leadId, ...tenancy }: ErasureSubject): Promise<boolean> {
    return (await getRow(leadKey(tenancy, leadId))) !== undefined;
  }

  async begin(erasure: Erasure, cpf?: Cpf): Promise<Erasure | undefined> {
    const { leadId } = erasure;
    const outcome = await transactNamed({
      erasure: { Put: { Item: erasureRow(erasure), ConditionExpression: 'attribute_not_exists(pk)' } },
      lead: { ConditionCheck: { Key: leadKey(erasure, leadId), ConditionExpression: 'attribute_exists(pk)' } },
      cpf: cpf === undefined ? undefined : await whileCpfLeadsTo(erasure, cpf, leadId),
    });
    if (outcome === 'written') return erasure;
    const stored = outcome.erasure?.row;
    if (!stored && !outcome.lead && outcome.cpf)
      throw new ChangedMeanwhile(`the CPF of lead ${leadId} was changed meanwhile: look at the lead again`);
    return stored && rowFormat.parse(stored);
  }

  /**
   * Each row that belongs to a lead is written in one transaction with the lead, as a new version of the lead or
   * counted in its `uses`. So nothing can be added between the reads and the mark. After the mark the CPF may get a new
   * lead, so the same transaction stores the consent cutoff.
   */
  async mark(erasure: Erasure, nextCheckAt: Instant): Promise<Erasure> {
    const { leadId } = erasure;
    for (let attempt = 1; ; attempt++) {
      const lead = await getRow(leadKey(erasure, leadId));
      const { analyses } = await analysesOfLead(erasure, leadId);
      const pending = analyses.filter(({ situation }) => isPending(situation)).length;
      if (pending > 0) return this.#write(erasure, { ...erasure, pending, nextCheckAt });
      const opportunityIds = await opportunityIdsOf(erasure, leadId);
      // The lead's own list of simulations is not deleted here: `erase` deletes it later, and counts it.
      const keys = opportunityIds.map((id) => opportunityKey(erasure, id));
      const older = Math.max(0, keys.length - WITH_MARK);
      for (let from = 0; from < older; from += BATCH) await transact(deletions(keys.slice(from, from + BATCH)));
      const after: Erasure = {
        ...erasure,
        revision: erasure.revision + 1,
        state: 'apagando',
        pending: 0,
        nextCheckAt,
      };
      const now = this.#clock();
      const cutoff = consentCutoff(erasure, withdrawalIn(lead));
      const outcome = await transactNamed({
        erasure: overwrite(erasure, after),
        lead: markLead(erasure, lead, now),
        cutoff: await outliveLead(erasure, lead, cutoff, now),
        opportunities: deletions(keys.slice(older)),
      });
      if (outcome === 'written') return after;
      if (outcome.erasure) return this.#stored(erasure);
      await beforeRetry(MARK_PAUSE * attempt);
    }
  }

  async erase(erasure: Erasure): Promise<{ erasure: Erasure } & Pick<ErasurePass, 'analyses' | 'consents'>> {
    const { leadId } = erasure;
    const { analyses, consents } = await analysesOfLead(erasure, leadId);
    for (const { id } of analyses) await unlistOutcome(erasure, id);
    await deleteCounted(erasure, 'forms', () => formsOf(erasure, analyses));
    await deleteCounted(erasure, 'opportunities', async () => {
      const ids = await opportunityIdsOf(erasure, leadId);
      return ids.map((id) => [leadOpportunityKey(erasure, leadId, id), opportunityKey(erasure, id)]);
    });
    await forgetCpf(erasure);
    if (erasure.state === 'apagado') {
      await forgetAnswers(erasure);
      await this.#deleteTexts(erasure, analyses);
    }
    return { erasure: await this.#stored(erasure), analyses: analyses.length, consents };
  }

  async close(erasure: Erasure, pass: ErasurePass, nextCheckAt: Instant): Promise<Erasure> {
    const after: Erasure = {
      ...erasure,
      revision: erasure.revision + 1,
      state: 'apagado',
      passes: erasure.passes.concat(pass),
      nextCheckAt,
    };
    const outcome = await transact([overwrite(erasure, after)].concat(emptyLead(erasure, this.#clock())));
    if (outcome !== 'written') return this.#stored(erasure);
    // The texts are deleted only once the lead is empty, because a delivery that cannot be read ends this call. The
    // second pass deletes them again.
    const { analyses } = await analysesOfLead(erasure, erasure.leadId);
    await this.#deleteTexts(erasure, analyses);
    return after;
  }

  finish(erasure: Erasure, pass: ErasurePass): Promise<Erasure> {
    return this.#write(erasure, { ...erasure, passes: erasure.passes.concat(pass), nextCheckAt: undefined });
  }

  async eraseSpouse(subject: SpouseSubject, now: Instant, nextCheckAt: Instant): Promise<Erasure | undefined> {
    const { leadId, submissionId } = subject;
    const Key = formKey(subject, submissionId);
    for (let attempt = 1; ; attempt++) {
      const item = await getRow(Key);
      const form = item && (await openForm(item));
      const { spouse, rest } = splitForm(form ?? {});
      if (!item || !form || Object.keys(spouse).length === 0) return undefined;
      const own = (await analysesOfLead(subject, leadId)).analyses.filter(
        (analysis) => analysis.submissionId === submissionId,
      );
      const pending = own.filter(({ situation }) => isPending(situation)).length;
      const requestedAt = Number(item['requestedAt'] ?? now);
      const { partnerId, unitId, environment } = subject;
      const lead = { partnerId, unitId, environment, leadId };
      const forms = pending > 0 ? 0 : 1;
      const erasure = { ...lead, revision: 1, requestedAt, pending, opportunities: 0, forms };
      const seen = { condition: 'sealed = :seen', values: { ':seen': item['sealed'] } };
      if (pending > 0) {
        // A bank may still need the form. The form's row enters the due index, so that the sweeper looks at it again.
        const set = { ...lead, submissionId, requestedAt, ...erasureDue(subject, leadId, nextCheckAt) };
        if ((await transact([{ Update: updateOf(Key, { set, ...seen }) }])) === 'written')
          return { ...erasure, state: 'aguardando', passes: [], nextCheckAt };
      } else {
        const set = { sealed: await encrypt(Key, rest) };
        const remove = ['duePk', 'dueSk', 'requestedAt'];
        const spouseRows = await spouseKeys(subject, form, submissionId);
        const pass = { opportunities: 0, forms: 1, analyses: own.length, consents: 0, at: now };
        const emptied: TransactItem = { Update: updateOf(Key, { set, remove, ...seen }) };
        if ((await transact([emptied].concat(deletions(spouseRows)))) === 'written')
          return { ...erasure, state: 'apagado', passes: [pass] };
      }
      await beforeRetry(MARK_PAUSE * attempt);
    }
  }

  async due(before: Instant, after?: string): Promise<Page<ErasedSubject>> {
    const { items, next } = await queryPage(dueQuery(ERASURES_DUE, { before }), after);
    return { items: readableSubjects(items), next };
  }

  /** No event is written after this: the mark found every analysis final. */
  async #deleteTexts(tenancy: Tenancy, analyses: readonly Pick<Analysis, 'id'>[]): Promise<void> {
    for (const { id } of analyses) await deleteReceiverTexts(tenancy, id, this.#clock());
  }

  /** If another run was faster, returns the stored erasure. */
  async #write(before: Erasure, next: Erasure): Promise<Erasure> {
    const after = { ...next, revision: before.revision + 1 };
    const outcome = await transact([overwrite(before, after)]);
    return outcome === 'written' ? after : this.#stored(before);
  }

  async #stored(erasure: Erasure): Promise<Erasure> {
    const item = await this.get(erasure, erasure.leadId);
    if (!item) throw new Error(`the erasure of lead ${erasure.leadId} is gone`);
    return item;
  }
}

export const erasureRow = (erasure: Erasure): Item => ({
  ...erasureKey(erasure, erasure.leadId),
  ...erasure,
  ...dueEntry(erasure),
});

/** Undefined if nothing is left to do. */
const dueEntry = (erasure: Erasure) =>
  erasure.nextCheckAt === undefined ? undefined : erasureDue(erasure, erasure.leadId, erasure.nextCheckAt);

/** The update fails if another run has written a step. */
function overwrite(before: Erasure, after: Erasure): TransactItem {
  return {
    Update: updateOf(erasureKey(before, before.leadId), {
      set: { ...after, ...dueEntry(after) },
      remove: after.nextCheckAt === undefined ? ['nextCheckAt', 'duePk', 'dueSk'] : [],
      condition: 'revision = :seen',
      values: { ':seen': before.revision },
    }),
  };
}

/** Refused if the lead is no longer as it was read. */
function markLead(erasure: Erasure, lead: Item | undefined, now: Instant): TransactItem {
  const [uses, withdrawal] = [sameUses(lead), sameWithdrawal(lead)];
  return {
    Update: {
      Key: leadKey(erasure, erasure.leadId),
      UpdateExpression: 'SET erasingSince = :now REMOVE duePk, dueSk',
      ConditionExpression: `version = :seen AND ${uses.ConditionExpression} AND ${withdrawal.ConditionExpression}`,
      ExpressionAttributeValues: {
        ':now': now,
        ':seen': lead?.['version'],
        ...uses.ExpressionAttributeValues,
        ...withdrawal.ExpressionAttributeValues,
      },
    },
  };
}

/** The lead's row and its number stay, since the evidence names the number. */
function emptyLead(erasure: Erasure, now: Instant): TransactItem[] {
  const emptied: TransactItem = {
    Update: {
      Key: leadKey(erasure, erasure.leadId),
      UpdateExpression: 'SET erasedAt = :now REMOVE sealed, listPk, listSk, reusedAt, replayedAt, uses, notice, nonce',
      ConditionExpression: 'attribute_exists(erasingSince)',
      ExpressionAttributeValues: { ':now': now },
    },
  };
  const listed = erasure.environment === 'sandbox' ? [sandboxLeadKey(erasure, erasure.leadId)] : [];
  return [emptied].concat(deletions(listed));
}

/** Only the row of the first key is counted. */
type Counted = readonly [RowKey, ...RowKey[]];

/**
 * Counts the deleted rows on the erasure in the same transaction. If another run deletes the same rows, that run counts
 * them: the transaction is refused here, and the remaining rows are looked for again.
 */
async function deleteCounted(erasure: Erasure, what: 'forms' | 'opportunities', find: () => Promise<Counted[]>) {
  for (let found = await find(); found.length > 0; found = await find()) {
    const batch = found.slice(0, BATCH);
    const count: TransactItem = {
      Update: {
        Key: erasureKey(erasure, erasure.leadId),
        UpdateExpression: 'SET revision = revision + :one ADD #what :number',
        ExpressionAttributeNames: { '#what': what },
        ExpressionAttributeValues: { ':one': 1, ':number': batch.length },
      },
    };
    const deleted = batch.flatMap(([Key, ...others]) => {
      const counted: TransactItem = { Delete: { Key, ConditionExpression: 'attribute_exists(pk)' } };
      return [counted].concat(deletions(others));
    });
    await transact([count].concat(deleted));
  }
}

export const deletions = (keys: readonly RowKey[]): TransactItem[] => keys.map((Key) => ({ Delete: { Key } }));

/**
 * If a new lead of the same person has taken over an answer's key, the answer stays: the late index may still list it
 * under this lead.
 */
export async function forgetAnswers(erasure: ErasureSubject): Promise<void> {
  const { leadId } = erasure;
  const rows = await queryAllRows({
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk',
    ExpressionAttributeValues: { ':pk': recordList(erasure, leadId).listPk },
  });
  for (const { pk, sk } of rows) await transact([deleteOf(leadId, keyFormat.parse({ pk, sk }))]);
}

export async function formsOf(
  tenancy: Tenancy,
  analyses: readonly Pick<Analysis, 'submissionId'>[],
): Promise<Counted[]> {
  const ids = Array.from(new Set(analyses.map(({ submissionId }) => submissionId)));
  const rows = await getRows(ids.map((id) => formKey(tenancy, id)));
  const counted = ids.map(async (id, index): Promise<Counted | undefined> => {
    const row = rows[index];
    if (!row) return undefined;
    const form = await ifItOpens(openForm(row));
    return form ? [keyOf(row), ...(await spouseKeys(tenancy, form, id))] : [keyOf(row)];
  });
  return (await Promise.all(counted)).filter((rowsOfForm) => rowsOfForm !== undefined);
}

export async function forgetCpf(erasure: ErasureSubject): Promise<void> {
  const item = await getRow(leadKey(erasure, erasure.leadId));
  if (!item?.['sealed']) return;
  const { cpf } = await readLead(erasure, item);
  for (const key of await cpfKeys(erasure, cpf)) await transact([deleteOf(erasure.leadId, key)]);
}

/** Refused if the row does not lead to this lead. */
const deleteOf = (leadId: LeadId, Key: RowKey): TransactItem => ({
  Delete: { Key, ConditionExpression: 'leadId = :erased', ExpressionAttributeValues: { ':erased': leadId } },
});
