import { type Analysis, type AnalysisForm, HANDOVER_LEASE, moved, PENDING_LIMIT, type Situation } from './analysis.ts';
import { afterHandOver, type EventMaker, type HandOverPorts, sendAbsent } from './hand-over.ts';
import type { AnalysisChange, DeskStatus } from './ports.ts';

/** What a raw text means; `known` is false where no rule reads it. */
export type StatusReader = (raw: string) => { readonly situation: Situation; readonly known: boolean };

/** What a poll of one analysis came to. */
export type FollowUp =
  /** Nothing new: nothing is written. */
  | { readonly kind: 'no_news'; readonly unknownStatus: boolean }
  /** Still pending, but its number or its text has changed. */
  | { readonly kind: 'note'; readonly queryNumber: string; readonly rawStatus: string; readonly unknownStatus: boolean }
  | { readonly kind: 'change'; readonly change: AnalysisChange }
  /** The desk gave no usable answer this time. */
  | { readonly kind: 'unavailable' };

interface Asking extends HandOverPorts {
  readonly form: () => Promise<AnalysisForm | undefined>;
  readonly read: StatusReader;
  readonly event: EventMaker;
}

const noNews: FollowUp = { kind: 'no_news', unknownStatus: false };

/** Whether the request that submitted an analysis may still be handing it over. */
export function isBeingHandedOver(analysis: Analysis, now: number): boolean {
  return analysis.queryNumber === '' && now - analysis.createdAt < HANDOVER_LEASE;
}

/** A pending analysis given up after 30 days as it becomes, whatever its bank may say; undefined while it has time. */
export function expired(analysis: Analysis, event: EventMaker, now: number): AnalysisChange | undefined {
  if (now - analysis.createdAt <= PENDING_LIMIT) return undefined;
  const after = moved(analysis, { ...analysis, situation: 'cancelado' });
  return after && { before: analysis, after, delivery: event(after, now) };
}

/** Asks the desk about a pending analysis. One that it has never received is handed over: the request that should have done so was cut off. */
export async function followUp(analysis: Analysis, asking: Asking): Promise<FollowUp> {
  const asked = asking.clock();
  if (isBeingHandedOver(analysis, asked)) return noNews;
  const status = await asking.desk.query(analysis, asking.signal);
  if (status.kind === 'unavailable') return { kind: 'unavailable' };
  if (status.kind === 'absent') return handOverAgain(analysis, asked, asking);
  return afterStatus(analysis, status, asking);
}

function afterStatus(
  analysis: Analysis,
  status: DeskStatus & { kind: 'known' },
  { read, event, clock }: Asking,
): FollowUp {
  const { queryNumber, rawStatus } = status;
  const { situation, known } = read(rawStatus);
  if (situation !== analysis.situation) return changed(analysis, { situation, queryNumber, rawStatus }, event, clock());
  if (queryNumber === analysis.queryNumber && rawStatus === analysis.rawStatus)
    return { kind: 'no_news', unknownStatus: !known };
  return { kind: 'note', queryNumber, rawStatus, unknownStatus: !known };
}

async function handOverAgain(analysis: Analysis, asked: number, asking: Asking): Promise<FollowUp> {
  // The bank has confirmed this number before: that the desk knows neither is its fault, and no reason to ask twice.
  if (analysis.queryNumber !== '') return { kind: 'unavailable' };
  const form = await asking.form();
  // Nothing is left to send: the bank is not to blame, and after 30 days the analysis is given up.
  if (!form) return noNews;
  const result = await sendAbsent(analysis, form, asked, asking);
  if (!result) return noNews;
  if (result.kind === 'unknown') return { kind: 'unavailable' };
  if (result.kind === 'accepted')
    return { kind: 'note', queryNumber: result.queryNumber, rawStatus: result.rawStatus, unknownStatus: false };
  return { kind: 'change', change: afterHandOver(analysis, result, asking.event, asking.clock()) };
}

function changed(
  analysis: Analysis,
  to: { situation: Situation; queryNumber: string; rawStatus: string },
  event: EventMaker,
  now: number,
): FollowUp {
  const after = moved(analysis, to);
  return after ? { kind: 'change', change: { before: analysis, after, delivery: event(after, now) } } : noNews;
}
