import { type Lead, type LeadDraft, missingFrom } from '#shared/domain/leads/lead.ts';
import type { Leads } from '#shared/domain/leads/ports.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { Answer, Claim, IdempotentResult, Unopened } from '#shared/domain/values/idempotency.ts';
import { drawId, type LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Milliseconds } from '#shared/domain/values/time.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { logError, SafeError } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import { beforeRetry, getRow, transactNamed, winRow } from '../rows/client.ts';
import { leadInTheWay, putCpf } from '../rows/cpf-row.ts';
import { primeEncryption } from '../rows/encryption.ts';
import { type KeptRecord, type KeyRecord, recordOf, takeKey, takenBy } from '../rows/idempotency.ts';
import { leadKey, sandboxLeadKey } from '../rows/keys.ts';
import { leadUpdate, livingLead, newLeadRow, overwriteLead, readLead, readReusedLead } from '../rows/living-lead.ts';

/** Two ids of one millisecond are equal 1 time in 4,096. */
const DRAWS = 4;
const CHANGE_PAUSE: Milliseconds = 40;

type AnswerMaker = (leadId: LeadId, reused: Lead | undefined) => Answer;

interface Creation {
  readonly tenancy: Tenancy;
  readonly draft: LeadDraft;
  readonly answer: AnswerMaker;
  readonly key: KeyRecord | undefined;
}

type Result = { readonly done: Answer } | { readonly earlier: KeptRecord };

export class TableLeads implements Leads, Primable {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  prime(): Promise<void> {
    return primeEncryption();
  }

  async find(tenancy: Tenancy, id: LeadId): Promise<Unopened<Lead> | undefined> {
    const item = livingLead(await getRow(leadKey(tenancy, id)));
    return item && { open: () => readLead(tenancy, item) };
  }

  async get(tenancy: Tenancy, id: LeadId): Promise<Lead | undefined> {
    return (await this.find(tenancy, id))?.open();
  }

  async createOrReuse(
    tenancy: Tenancy,
    draft: LeadDraft,
    answer: AnswerMaker,
    claim?: Claim,
  ): Promise<IdempotentResult<Answer>> {
    // Lead of an erased person to which the CPF's row still leads. The new lead may take this row over.
    let erased: LeadId | undefined;
    let corrected: LeadId | undefined;
    let key = claim && (await recordOf(claim));
    for (let draw = 0; draw < DRAWS; draw++) {
      const creation: Creation = { tenancy, draft, answer, key };
      const created = await this.#create(creation, erased);
      if (created === 'id_taken') continue;
      const outcome = 'knownAs' in created ? await this.#reuse(creation, created.knownAs) : created;
      if ('gone' in outcome) {
        erased = outcome.gone;
        continue;
      }
      if ('corrected' in outcome) {
        // If the CPF leads to this lead twice, no correction came between the attempts.
        if (corrected === outcome.corrected) throw cpfMismatch(tenancy, corrected);
        corrected = outcome.corrected;
        continue;
      }
      if ('done' in outcome) return outcome;
      const { leadId: named, sameContent } = outcome.earlier;
      if (named === undefined) return outcome;
      const row = await getRow(leadKey(tenancy, named));
      // With the same body, the Idempotency-Key is free if the lead is erased or removed. With another body, it is free
      // only if a reset of the sandbox has removed the lead.
      if (sameContent ? livingLead(row) : row) return outcome;
      key = { ...outcome.earlier.key, gone: named };
    }
    throw new Failure('servico_indisponivel');
  }

  /**
   * `knownAs`: the CPF leads to this lead already, which is not `erased`. `id_taken`: another lead has the drawn id.
   */
  async #create(
    { tenancy, draft, answer, key }: Creation,
    erased: LeadId | undefined,
  ): Promise<Result | { readonly knownAs: LeadId } | 'id_taken'> {
    const now = this.#clock();
    const id = drawId<LeadId>(now);
    const lead: Lead = { ...draft, id, version: 1, createdAt: now, updatedAt: now };
    const created = answer(id, undefined);
    const isSandbox = tenancy.environment === 'sandbox';
    const outcome = await transactNamed({
      cpf: await putCpf(tenancy, draft.cpf, id, erased),
      lead: { Put: { Item: await newLeadRow(tenancy, lead), ConditionExpression: 'attribute_not_exists(pk)' } },
      listed: isSandbox ? { Put: { Item: sandboxLeadKey(tenancy, id) } } : undefined,
      key: key && (await takeKey(key, id, { answer: created }, now)),
    });
    if (outcome === 'written') return { done: created };
    const earlier = key && (await takenBy(key, outcome.key));
    if (earlier) return { earlier };
    const known = leadInTheWay(outcome.cpf);
    return known === undefined ? 'id_taken' : { knownAs: known };
  }

  /** `gone`: there is no such lead, or its person is being erased. `corrected`: the lead has another CPF. */
  async #reuse(
    { tenancy, draft, answer, key }: Creation,
    id: LeadId,
  ): Promise<Result | { readonly gone: LeadId } | { readonly corrected: LeadId }> {
    for (let attempt = 1; ; attempt++) {
      const lead = await readReusedLead(tenancy, id, this.#clock());
      if (!lead) return { gone: id };
      if (lead.cpf !== draft.cpf) return { corrected: id };
      const reused = answer(id, lead);
      const missing = missingFrom(lead, draft, tenancy.environment);
      const now = this.#clock();
      const taken = key && (await takeKey(key, id, { answer: reused }, now));
      const filled = { ...lead, ...missing, version: lead.version + 1, updatedAt: now };
      const overwritten = Object.keys(missing).length > 0 ? await overwriteLead(tenancy, filled) : undefined;
      const outcome = taken || overwritten ? await transactNamed({ key: taken, lead: overwritten }) : 'written';
      if (outcome === 'written') return { done: reused };
      const earlier = key && (await takenBy(key, outcome.key));
      if (earlier) return { earlier };
      await beforeRetry(CHANGE_PAUSE * attempt);
    }
  }

  async change<T>(
    tenancy: Tenancy,
    id: LeadId,
    change: (lead: Lead) => { write: Lead | undefined; result: T },
  ): Promise<T | undefined> {
    for (let attempt = 1; ; attempt++) {
      const lead = await this.get(tenancy, id);
      if (!lead) return undefined;
      const { write, result } = change(lead);
      if (!write) return result;
      const next = { ...write, version: lead.version + 1, updatedAt: this.#clock() };
      const outcome = await winRow(await leadUpdate(tenancy, next));
      if ('written' in outcome) return result;
      await beforeRetry(CHANGE_PAUSE * attempt);
    }
  }
}

/**
 * Logs and counts the error, which raises an alarm: no data of this call may reach that lead. The lead's `reusedAt` was
 * written by the update that read it (`readReusedLead`).
 */
function cpfMismatch({ unitId }: Tenancy, lead: LeadId): SafeError {
  const error = new SafeError('the row of a CPF leads to the lead of another person');
  emit({}, { CpfMismatches: 1 });
  logError('cpf_mismatch', error, { unit: unitId, lead });
  return error;
}
