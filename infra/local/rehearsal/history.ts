import { setTimeout as wait } from 'node:timers/promises';
import { cpfFrom } from '../../../shared/domain/values/cpf.ts';
import { newAnalysis } from '../../../shared/partner/openapi/example-bodies.ts';
import type { KeptRun } from './kept-run.ts';

/** An analysis that the service has accepted, and what has to become of it. */
export interface Accepted {
  readonly id: number;
  readonly leadId: number;
  /** How the operator knows it. */
  readonly reference: string;
  readonly story: Story;
}

/**
 * `concluded`: outcome and event are with the partner. `pending`: the bank has not decided. `undelivered`: decided, the
 * event's first attempt failed. `unanswered`: the operator took it over, its answer was lost, so the row has no number.
 * `unsent`: it never reached the operator. `later`: accepted after the export.
 */
type Story = 'concluded' | 'pending' | 'undelivered' | 'unanswered' | 'unsent' | 'later';

/** Milliseconds that outcomes and events may take on a busy machine. */
const WITHIN = 180_000;

/** Calls until something is there. Throws an Error that says what was waited for. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + WITHIN;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await wait(200);
  }
}

/** An invented person, by a number of up to nine digits. */
function person(seed: number) {
  const cpf = cpfFrom(String(100_000_000 + seed));
  return { nome: 'Marina Duarte Alves', cpf, data_nascimento: '1988-03-14', renda: 18000 };
}

/** Makes the history of a production partner, story by story. */
export class HistoryMaker {
  readonly accepted: Accepted[] = [];
  readonly #run: KeptRun;
  readonly #unitId: number;
  #people = 0;

  constructor(run: KeptRun, unitId: number) {
    this.#run = run;
    this.#unitId = unitId;
  }

  /** A new person's submission to these banks. */
  async submit(story: Story, banks: readonly string[]): Promise<readonly Accepted[]> {
    const key = this.#run.keys.producao;
    const who = person(++this.#people);
    const { body: lead } = await this.#run.call('POST', '/v1/leads', key, who);
    const form = { ...newAnalysis, ...who, lead_id: lead.lead_id, bancos: banks };
    const asked = { ...form, consentimento_timestamp: new Date().toISOString() };
    const { status, body } = await this.#run.call('POST', '/v1/analises', key, asked);
    if (status !== 202) throw new Error(`POST /v1/analises answered ${status} ${body.codigo}`);
    const made = (body.analises as { analise_id: number }[]).map(({ analise_id: id }) => ({
      id,
      leadId: Number(lead.lead_id),
      reference: `producao-${this.#unitId}-${id}`,
      story,
    }));
    this.accepted.push(...made);
    return made;
  }

  /** Waits until the partner's receiver has the events of these. */
  async told(of: readonly Accepted[]): Promise<void> {
    await until('the events', async () => {
      const told = new Set((await this.#run.events()).filter(({ status }) => status === 200).map(analysisOf));
      return of.every(({ id }) => told.has(id)) ? true : undefined;
    });
  }
}

/** The analysis that an event is about. */
export function analysisOf({ raw }: { readonly raw: string }): number {
  return (JSON.parse(raw) as { data: { analise_id: number } }).data.analise_id;
}
