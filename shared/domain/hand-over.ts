import { type Analysis, type AnalysisForm, HANDOVER_LEASE, moved } from './analysis.ts';
import type { Delivery } from './delivery.ts';
import type { Analyses, AnalysisChange, Desk, DeskStatus, HandOver } from './ports.ts';

/** The event that an analysis causes as it becomes final; made by the contract, whose words it speaks. */
export type EventMaker = (analysis: Analysis, now: number) => Delivery;

/** Milliseconds that one bank may take, and all together: below the gateway's 29 s with the table's share. */
const ONE_BANK = 10_000;
const ALL_BANKS = 20_000;

/** An analysis after its hand-over: confirmed with the bank's number, refused for good, or as it was where no answer can be trusted. */
export function afterHandOver(analysis: Analysis, handOver: HandOver, event: EventMaker, now: number): AnalysisChange {
  switch (handOver.kind) {
    case 'accepted': {
      const { queryNumber, rawStatus } = handOver;
      return { before: analysis, after: { ...analysis, queryNumber, rawStatus }, delivery: undefined };
    }
    case 'refused': {
      const after = moved(analysis, { situation: 'erro', rawStatus: handOver.rawStatus, queryNumber: '' });
      return after
        ? { before: analysis, after, delivery: event(after, now) }
        : { before: analysis, after: analysis, delivery: undefined };
    }
    case 'unknown':
      return { before: analysis, after: analysis, delivery: undefined };
  }
}

/** What a hand-over goes through: the desk, and the row on which those who may send an analysis agree who does. */
export interface HandOverPorts {
  readonly desk: Desk;
  readonly analyses: Pick<Analyses, 'takeHandOver'>;
  readonly clock: () => number;
  /** Ends the hand-over; 10 seconds for one bank. */
  readonly signal: AbortSignal;
}

const inDoubt: HandOver = { kind: 'unknown' };

/**
 * Sends an analysis that was claimed a moment ago, which nobody else can have sent. Not where the run was held up (a
 * frozen container, a slow table): the poller may have sent it by then.
 */
async function sendFirst(
  analysis: Analysis,
  form: AnalysisForm,
  { desk, clock, signal }: HandOverPorts,
): Promise<HandOver> {
  const inTime = clock() - analysis.createdAt < HANDOVER_LEASE - ONE_BANK;
  return inTime ? desk.submit(analysis, form, signal) : inDoubt;
}

/**
 * Sends an analysis of which the desk said at `asked` (milliseconds) that it has never received it. A submission is a
 * credit query on a person's name, and a second one harms them: of all who were told so, one alone sends, and the others
 * get undefined.
 */
export async function sendAbsent(
  analysis: Analysis,
  form: AnalysisForm,
  asked: number,
  { desk, analyses, clock, signal }: HandOverPorts,
): Promise<HandOver | undefined> {
  if (signal.aborted) return inDoubt;
  if (!(await analyses.takeHandOver(analysis, asked))) return undefined;
  const inTime = clock() - asked < HANDOVER_LEASE - ONE_BANK;
  return inTime ? desk.submit(analysis, form, signal) : inDoubt;
}

/** Hands over an analysis that a run before may have sent: the desk is asked by our reference before anything is sent. */
async function sendAgain(analysis: Analysis, form: AnalysisForm, ports: HandOverPorts): Promise<HandOver> {
  const asked = ports.clock();
  const status: DeskStatus = await ports.desk.query(analysis, ports.signal);
  if (status.kind === 'absent') return (await sendAbsent(analysis, form, asked, ports)) ?? inDoubt;
  if (status.kind === 'unavailable') return inDoubt;
  return { kind: 'accepted', queryNumber: status.queryNumber, rawStatus: status.rawStatus };
}

/**
 * Hands all analyses of a submission over side by side, each bounded, and says how each becomes. Banks that have
 * confirmed are left alone. `resumed` says that a run before may have sent them.
 */
export async function handOverAll(
  analyses: readonly Analysis[],
  form: AnalysisForm,
  resumed: boolean,
  event: EventMaker,
  ports: Omit<HandOverPorts, 'signal'>,
): Promise<AnalysisChange[]> {
  const all = AbortSignal.timeout(ALL_BANKS);
  const send = resumed ? sendAgain : sendFirst;
  return Promise.all(
    analyses.map(async (analysis): Promise<AnalysisChange> => {
      const waits = analysis.situation === 'em_analise' && analysis.queryNumber === '';
      if (!waits) return { before: analysis, after: analysis, delivery: undefined };
      const signal = AbortSignal.any([all, AbortSignal.timeout(ONE_BANK)]);
      return afterHandOver(analysis, await send(analysis, form, { ...ports, signal }), event, ports.clock());
    }),
  );
}
