import * as z from 'zod/mini';
import { isPending, SITUATIONS, type Situation } from '../domain/analyses/analysis.ts';
import {
  EVIDENCE_KINDS,
  type Evidence,
  type SandboxChecklist,
  STEPS,
  type Step,
} from '../domain/partners/sandbox-checklist.ts';
import { idTime, type LeadId, type PartnerId, type UnitId } from '../domain/values/ids.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import { readAnalysisList } from './analysis-list.ts';
import { getRow, getRows, type Item, queryRows } from './client.ts';
import { checklistKey, LEAD_OPPORTUNITIES, leadKey, sandboxLeadListPartition } from './keys.ts';
import { listUnits } from './partner-register.ts';
import { listDeliveries } from './replays.ts';

/** The outcomes that an analysis can have. */
const OUTCOMES = SITUATIONS.filter((situation): situation is Exclude<Situation, 'em_analise'> => !isPending(situation));

/** Leads that are looked at in a unit, and deliveries of the partner, newest first; and how many leads at once. */
const LOOKED_AT = 500;
const AT_ONCE = 20;

const leadFormat = z.object({ id: z.number(), reusedAt: z.optional(z.number()), replayedAt: z.optional(z.number()) });
const listedFormat = z.object({ id: z.number() });

/** The newest rows of a list. */
async function newest(partition: string, limit: number) {
  const output = await queryRows({
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk',
    ExpressionAttributeValues: { ':pk': partition },
    ScanIndexForward: false,
    // One more than is taken, since a query that reaches its limit does not say whether that was the last row.
    Limit: limit + 1,
  });
  return {
    rows: (output.Items ?? []).slice(0, limit).map((item) => listedFormat.parse(item)),
    more: output.LastEvaluatedKey !== undefined,
  };
}

/** The newest opportunity of a lead. */
async function newestOpportunity(tenancy: Tenancy, leadId: LeadId): Promise<number | undefined> {
  const output = await queryRows({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :opportunities)',
    ExpressionAttributeValues: { ':pk': leadKey(tenancy, leadId).pk, ':opportunities': LEAD_OPPORTUNITIES },
    ScanIndexForward: false,
    Limit: 1,
  });
  const [row] = output.Items ?? [];
  return row && Number(String(row['sk']).slice(LEAD_OPPORTUNITIES.length));
}

const evidence = z.object({
  kind: z.enum(EVIDENCE_KINDS),
  id: z.union([z.number(), z.string()]),
  unitId: z.number(),
  at: z.number(),
}) as unknown as z.ZodMiniType<Evidence>;
const notedFormat = z.partialRecord(z.enum(STEPS), evidence);

/** The steps noted in a partner's row of them; none where there is no row yet. */
export function readSteps(item: Item | undefined): SandboxChecklist['shown'] {
  const noted = Object.entries(item ?? {}).filter(([name]) => (STEPS as readonly string[]).includes(name));
  return notedFormat.parse(Object.fromEntries(noted));
}

class Reading {
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

  /** Whether a lead has anything left to show. */
  ended(): boolean {
    return this.missing().every((step) => step === 'webhook' || step === 'resend');
  }

  async lead(tenancy: Tenancy, { id, reusedAt, replayedAt }: z.infer<typeof leadFormat>): Promise<void> {
    const { unitId } = tenancy;
    const about = { kind: 'lead', id, unitId } as const;
    this.note('lead', { ...about, at: idTime(id) });
    if (reusedAt !== undefined) this.note('reuse', { ...about, at: reusedAt });
    if (replayedAt !== undefined) this.note('replay', { ...about, at: replayedAt });
    const [opportunity, analyses] = await Promise.all([
      this.lacks('simulation') ? newestOpportunity(tenancy, id as LeadId) : undefined,
      this.lacks('analysis', ...OUTCOMES) ? readAnalysisList(tenancy, id as LeadId) : undefined,
    ]);
    if (opportunity !== undefined)
      this.note('simulation', { kind: 'opportunity', id: opportunity, unitId, at: idTime(opportunity) });
    for (const { id: analysis, situation } of analyses?.analyses ?? []) {
      const shown = { kind: 'analysis', id: analysis, unitId, at: idTime(analysis) } as const;
      this.note('analysis', shown);
      const outcome = OUTCOMES.find((one) => one === situation);
      if (outcome) this.note(outcome, shown);
    }
  }
}

/** Where to look, and what need not be looked for. */
interface Look {
  /** Steps that an earlier look has noted. @default what the partner's row of them says */
  readonly noted?: SandboxChecklist['shown'];
  /** The one unit whose leads are looked at. @default each of the partner */
  readonly unitId?: UnitId;
}

/**
 * What the rows of a partner's sandbox show of the flow: its leads, with what was noted on them, their simulations and
 * analyses, and the deliveries that its receiver took with a 2xx. Reads at most the newest `most` leads of each unit and
 * deliveries of the partner, and no further than the last step needs; changes nothing.
 */
export async function sandboxChecklistOf(
  partnerId: PartnerId,
  most = LOOKED_AT,
  { noted, unitId: only }: Look = {},
): Promise<SandboxChecklist> {
  const [known, units] = await Promise.all([
    noted ?? getRow(checklistKey(partnerId)).then(readSteps),
    only === undefined ? listUnits(partnerId).then((all) => all.map(({ id }) => id)) : [only],
  ]);
  const reading = new Reading(known);
  const [cut] = await Promise.all([
    lookAtLeads(units, most, reading),
    reading.lacks('webhook', 'resend') && lookAtDeliveries(partnerId, most, reading),
  ]);
  return { shown: reading.shown, missing: reading.missing(), cut };
}

/** Whether a unit has leads that were not looked at and could show what is missing. */
async function lookAtLeads(units: readonly UnitId[], most: number, reading: Reading): Promise<boolean> {
  let cut = false;
  for (const unitId of units) {
    if (reading.ended()) break;
    const tenancy = { unitId, environment: 'sandbox' } as const;
    const { rows, more } = await newest(sandboxLeadListPartition(unitId), most);
    for (let start = 0; start < rows.length && !reading.ended(); start += AT_ONCE) {
      const leads = await getRows(rows.slice(start, start + AT_ONCE).map(({ id }) => leadKey(tenancy, id as LeadId)));
      await Promise.all(
        leads.filter((item) => item !== undefined).map((item) => reading.lead(tenancy, leadFormat.parse(item))),
      );
    }
    cut ||= more && !reading.ended();
  }
  return cut;
}

async function lookAtDeliveries(partnerId: PartnerId, most: number, reading: Reading): Promise<void> {
  let seen = 0;
  const taken = listDeliveries(partnerId, { states: ['entregue'], environment: 'sandbox' });
  for await (const { eventId, unitId, createdAt, attempts } of taken) {
    const shown = { kind: 'event', id: eventId, unitId, at: createdAt } as const;
    reading.note('webhook', shown);
    if (attempts > 1) reading.note('resend', shown);
    seen += 1;
    if (seen === most || !reading.lacks('webhook', 'resend')) return;
  }
}
