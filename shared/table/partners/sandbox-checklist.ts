import * as z from 'zod/mini';
import { isPending, SITUATIONS, type Situation } from '#shared/domain/analyses/analysis.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import {
  CALLERS_LOOKED_AT,
  EVIDENCE_KINDS,
  type Evidence,
  type SandboxChecklist,
  STEPS,
  type Step,
  type StepsMade,
} from '#shared/domain/partners/sandbox-checklist.ts';
import { idTime, type LeadId, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { ACCOUNT_EVENT, type ListedDelivery } from '#shared/domain/webhooks/delivery.ts';
import { readAnalysisList } from '../analyses/analysis-list.ts';
import { getRow, getRows, type Item, makeOrUpdateRow, queryRows } from '../rows/client.ts';
import { checklistKey, LEAD_OPPORTUNITIES, leadKey } from '../rows/keys.ts';
import { type FieldsOf, numberOf } from '../rows/row-format.ts';
import { deliveriesOfAnalysis, lookAtNewest } from '../webhooks/replays.ts';
import { listUnits } from './partner-register.ts';
import { newestSandboxLeads } from './sandbox-leads.ts';

const evidence = z.object({
  kind: z.enum(EVIDENCE_KINDS),
  id: z.union([z.number(), z.string()]),
  unitId: numberOf<UnitId>(),
  at: z.number(),
} satisfies FieldsOf<Evidence>);
const notedFormat = z.partialRecord(z.enum(STEPS), evidence);

export function readSteps(item: Item | undefined): SandboxChecklist['shown'] {
  const noted = STEPS.filter((step) => item?.[step] !== undefined);
  return notedFormat.parse(Object.fromEntries(noted.map((step) => [step, item?.[step]])));
}

export async function noteSteps(partnerId: PartnerId, shown: Readonly<Partial<Record<Step, Evidence>>>): Promise<void> {
  const found = STEPS.filter((step) => shown[step]);
  if (found.length === 0) return;
  await makeOrUpdateRow({
    Key: checklistKey(partnerId),
    UpdateExpression: `SET ${found.map((_, index) => `#s${index} = if_not_exists(#s${index}, :s${index})`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(found.map((step, index) => [`#s${index}`, step])),
    ExpressionAttributeValues: Object.fromEntries(found.map((step, index) => [`:s${index}`, shown[step]])),
  });
}

const OUTCOMES = SITUATIONS.filter((situation): situation is Exclude<Situation, 'em_analise'> => !isPending(situation));

/** Newest leads of a unit that are looked at. */
const LOOKED_AT = 500;
const AT_ONCE = 20;
/** Newest deliveries of any environment: deliveries of production come only after the validation. */
const DELIVERIES_LOOKED_AT = 500;

const leadFormat = z.object({
  id: numberOf<LeadId>(),
  reusedAt: z.optional(z.number()),
  replayedAt: z.optional(z.number()),
});

/** Undefined if no opportunity has an offer of a bank. */
async function newestOpportunity(tenancy: Tenancy, leadId: LeadId): Promise<number | undefined> {
  const output = await queryRows({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :opportunities)',
    FilterExpression: 'offers > :none',
    ExpressionAttributeValues: {
      ':pk': leadKey(tenancy, leadId).pk,
      ':opportunities': LEAD_OPPORTUNITIES,
      ':none': 0,
    },
    ScanIndexForward: false,
    // The reset of a sandbox deletes leads whose opportunities this read does not see.
    ConsistentRead: true,
  });
  const [row] = output.Items ?? [];
  return row && Number(String(row['sk']).slice(LEAD_OPPORTUNITIES.length));
}

class FoundSteps {
  readonly shown: Partial<Record<Step, Evidence>>;

  constructor(noted: SandboxChecklist['shown']) {
    this.shown = { ...noted };
  }

  lacks(...steps: readonly Step[]): boolean {
    return steps.some((step) => !this.shown[step]);
  }

  note(step: Step, evidence: Evidence): void {
    this.shown[step] ??= evidence;
  }

  missing(): Step[] {
    return STEPS.filter((step) => !this.shown[step]);
  }

  /** The steps `webhook` and `resend` may still be missing: only deliveries show them. */
  hasAllOfLeads(): boolean {
    return this.missing().every((step) => step === 'webhook' || step === 'resend');
  }

  addDelivery({ eventId, unitId, createdAt, attempts, type }: ListedDelivery): void {
    if (type === ACCOUNT_EVENT || unitId === undefined) return;
    const shown = { kind: 'event', id: eventId, unitId, at: createdAt } as const;
    this.note('webhook', shown);
    if (attempts > 1) this.note('resend', shown);
  }

  async addLead(tenancy: Tenancy, { id, reusedAt, replayedAt }: z.infer<typeof leadFormat>): Promise<void> {
    const { unitId } = tenancy;
    const ofLead = (at: Instant): Evidence => ({ kind: 'lead', id, unitId, at });
    this.note('lead', ofLead(idTime(id)));
    if (reusedAt !== undefined) this.note('reuse', ofLead(reusedAt));
    if (replayedAt !== undefined) this.note('replay', ofLead(replayedAt));
    const [opportunity, analyses] = await Promise.all([
      this.lacks('simulation') ? newestOpportunity(tenancy, id) : undefined,
      this.lacks('analysis', ...OUTCOMES) ? readAnalysisList(tenancy, id) : undefined,
    ]);
    if (opportunity !== undefined)
      this.note('simulation', { kind: 'opportunity', id: opportunity, unitId, at: idTime(opportunity) });
    for (const { id: analysis, situation } of analyses?.analyses ?? []) {
      const shown = { kind: 'analysis', id: analysis, unitId, at: idTime(analysis) } as const;
      this.note('analysis', shown);
      const outcome = OUTCOMES.find((known) => known === situation);
      if (outcome) this.note(outcome, shown);
    }
  }
}

interface Look {
  /** Steps that are known already. @default those in the partner's checklist row */
  readonly noted?: SandboxChecklist['shown'];
  /**
   * The only unit whose leads are looked at, for a call of the partner. The call may miss a delivery of this moment.
   * @default every unit of the partner, and events that the list of the partner's deliveries does not show yet
   */
  readonly unitId?: UnitId;
}

/** Reads no more than the missing steps need. Changes nothing. */
export async function sandboxChecklistOf(
  partnerId: PartnerId,
  most = LOOKED_AT,
  { noted, unitId: only }: Look = {},
): Promise<SandboxChecklist> {
  const [known, units] = await Promise.all([
    noted ?? getRow(checklistKey(partnerId)).then(readSteps),
    only === undefined ? listUnits(partnerId).then((all) => all.map(({ id }) => id)) : [only],
  ]);
  const steps = new FoundSteps(known);
  const [leadsCut, deliveriesCut] = await Promise.all([
    lookAtLeads(units, most, steps),
    steps.lacks('webhook', 'resend') && lookAtDeliveries(partnerId, steps),
  ]);
  if (only === undefined) await lookAtEvents(units, steps);
  return { shown: steps.shown, missing: steps.missing(), cut: leadsCut || deliveriesCut };
}

/** Returns whether a unit has other leads that could show a missing step. */
async function lookAtLeads(units: readonly UnitId[], most: number, steps: FoundSteps): Promise<boolean> {
  let cut = false;
  for (const unitId of units) {
    if (steps.hasAllOfLeads()) break;
    const tenancy = { unitId, environment: 'sandbox' } as const;
    const { leads, more } = await newestSandboxLeads(unitId, most);
    for (let start = 0; start < leads.length && !steps.hasAllOfLeads(); start += AT_ONCE) {
      const items = await getRows(leads.slice(start, start + AT_ONCE).map((id) => leadKey(tenancy, id)));
      const found = items.filter((item) => item !== undefined).map((item) => leadFormat.parse(item));
      await Promise.all(found.map((lead) => steps.addLead(tenancy, lead)));
    }
    cut ||= more && !steps.hasAllOfLeads();
  }
  return cut;
}

/** Returns whether the partner has other deliveries that could show a missing step. */
async function lookAtDeliveries(partnerId: PartnerId, steps: FoundSteps): Promise<boolean> {
  const taken = { states: ['entregue'], environment: 'sandbox' } as const;
  const { items, more } = await lookAtNewest(partnerId, taken, DELIVERIES_LOOKED_AT);
  for (const delivery of items) steps.addDelivery(delivery);
  return more && steps.lacks('webhook', 'resend');
}

/** The list of the partner's deliveries is an index, which may lack the last step. */
async function lookAtEvents(units: readonly UnitId[], steps: FoundSteps): Promise<void> {
  for (const unitId of units) {
    if (!steps.lacks('webhook', 'resend')) return;
    const tenancy = { unitId, environment: 'sandbox' } as const;
    const { leads } = await newestSandboxLeads(unitId, AT_ONCE);
    const lists = await Promise.all(leads.map((lead) => readAnalysisList(tenancy, lead)));
    const ended = lists.flatMap((list) => list?.analyses ?? []).filter(({ situation }) => !isPending(situation));
    const newest = ended.sort((a, b) => b.id - a.id).slice(0, AT_ONCE);
    const events = await Promise.all(newest.map(({ id }) => deliveriesOfAnalysis(tenancy, id)));
    for (const event of events.flat()) if (event.state === 'entregue') steps.addDelivery(event);
  }
}

const momentsOf = (shown: SandboxChecklist['shown']): StepsMade =>
  Object.fromEntries(Object.entries(shown).map(([step, { at }]) => [step, at]));

/** Reads nothing once all steps are noted. Until then it makes at most some 46 queries. */
export async function stepsMade(caller: Caller, noted: SandboxChecklist['shown']): Promise<StepsMade> {
  if (STEPS.every((step) => noted[step])) return momentsOf(noted);
  const { shown } = await sandboxChecklistOf(caller.partnerId, CALLERS_LOOKED_AT, { noted, unitId: caller.unitId });
  if (STEPS.some((step) => shown[step] && !noted[step])) await noteSteps(caller.partnerId, shown);
  return momentsOf(shown);
}
