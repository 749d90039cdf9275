import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { cpfFrom } from '#shared/domain/values/cpf.ts';
import { minutes } from '#shared/domain/values/time.ts';
import { newAnalysis } from '#shared/partner/openapi/example-bodies.ts';
import type { InboxEvent } from '../inbox.ts';
import type { KeptRun } from './kept-run.ts';

export interface Accepted {
  readonly id: number;
  readonly leadId: number;
  readonly reference: string;
  readonly story: Story;
}

/**
 * What happened to an analysis before the loss or the change of releases.
 * - `concluded`: the partner has the outcome and its event.
 * - `pending`: the bank has not decided.
 * - `undelivered`: the bank has decided, and the first attempt of the event failed.
 * - `unanswered`: the operator accepted the analysis, but the answer was lost, so the row has no number.
 * - `unsent`: the analysis never reached the operator.
 * - `later`: the operator accepted the analysis after the export.
 */
type Story = 'concluded' | 'pending' | 'undelivered' | 'unanswered' | 'unsent' | 'later';

/** A submission with its Idempotency-Key. */
export interface Repeatable {
  readonly leadId: number;
  readonly body: object;
  readonly id: string;
  readonly answer: unknown;
}

export interface Finding {
  readonly what: string;
  readonly of: number;
  readonly missing: readonly string[];
}

export const findingOf = (of: readonly Accepted[], what: string, holds: (analysis: Accepted) => boolean): Finding => ({
  what,
  of: of.length,
  missing: of.filter((analysis) => !holds(analysis)).map(({ reference, story }) => `${reference} (${story})`),
});

export async function repeat(run: KeptRun, repeatable: readonly Repeatable[]): Promise<Finding> {
  const missing: string[] = [];
  for (const { body, id, answer } of repeatable)
    if (!isDeepStrictEqual((await run.call('POST', '/v1/analises', run.keys.producao, body, id)).body, answer))
      missing.push(id);
  return { what: 'submissions that repeat their answer under their key', of: repeatable.length, missing };
}

const WITHIN = minutes(3);

/** Throws an Error that names `what` if `look` finds nothing in time. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + WITHIN;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`${what} did not come in time`);
    await wait(200);
  }
}

/** `seed`: a number with up to nine digits. */
function inventPerson(seed: number) {
  const cpf = cpfFrom(String(100_000_000 + seed));
  return { nome: 'Marina Duarte Alves', cpf, data_nascimento: '1988-03-14', renda: 18000 };
}

interface Place {
  readonly partner_id: number;
  readonly unit_id: number;
  readonly environment: 'producao';
}

export class HistoryMaker {
  readonly accepted: Accepted[] = [];
  readonly repeatable: Repeatable[] = [];
  readonly #run: KeptRun;
  readonly #place: Place;
  #people: number;

  private constructor(run: KeptRun, place: Place, people: number) {
    this.#run = run;
    this.#place = place;
    this.#people = people;
  }

  /** `people`: number of people that other makers have invented before. */
  static async of(run: KeptRun, people = 0): Promise<HistoryMaker> {
    const { parceiro, unidade } = (await run.call('GET', '/v1/me', run.keys.producao)).body;
    return new HistoryMaker(run, { partner_id: parceiro.id, unit_id: unidade.id, environment: 'producao' }, people);
  }

  async erase(leadId: number): Promise<string> {
    const body = { ...this.#place, lead_id: leadId, reason: 'rehearsal', confirm: String(leadId) };
    const { status, body: said } = await this.#run.manage('privacy', 'POST', '/v1/leads/erase', body);
    if (status !== 200) throw new Error(`leads/erase answered ${status} ${JSON.stringify(said)}`);
    return said.erasure.state;
  }

  async submit(story: Story, banks: readonly string[]): Promise<readonly Accepted[]> {
    const key = this.#run.keys.producao;
    const who = this.invent();
    const { body: lead } = await this.#run.call('POST', '/v1/leads', key, who);
    const form = { ...newAnalysis, ...who, lead_id: lead.lead_id, bancos: banks };
    const request = { ...form, consentimento_timestamp: new Date().toISOString() };
    const id = randomUUID();
    const { status, body } = await this.#run.call('POST', '/v1/analises', key, request, id);
    if (status !== 202) throw new Error(`POST /v1/analises answered ${status} ${body.codigo}`);
    const analyses = submissionFormat.parse(body).analises.map(({ analise_id: id }) => ({
      id,
      leadId: Number(lead.lead_id),
      reference: `producao-${this.#place.unit_id}-${id}`,
      story,
    }));
    this.accepted.push(...analyses);
    this.repeatable.push({ leadId: lead.lead_id, body: request, id, answer: body });
    return analyses;
  }

  async submitInDoubt(): Promise<void> {
    await this.#run.operator.fault({ kind: 'lost_answer', operation: 'submit', times: 1 });
    await this.submit('unanswered', ['itau']);
    await this.#run.operator.fault({ kind: 'lost_before', operation: 'submit', times: 1 });
    await this.submit('unsent', ['inter']);
  }

  async submitUndelivered(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
    const undelivered = await this.submit('undelivered', ['brb']);
    await fetch(new URL('/fail-next?n=1&status=503', this.#run.inbox.url), { method: 'POST' });
    await meanwhile();
    for (const { reference } of undelivered) await this.#run.operator.decide(reference, 'Reprovado');
    await until('an attempt that fails', async () => (await this.#run.events()).find(({ status }) => status === 503));
  }

  invent() {
    return inventPerson(++this.#people);
  }

  async waitForEvents(of: readonly Accepted[]): Promise<void> {
    await until('the events', async () => {
      const arrived = new Set((await this.#run.events()).filter(({ status }) => status === 200).map(analysisOf));
      return of.every(({ id }) => arrived.has(id)) ? true : undefined;
    });
  }
}

export const eventsOf = (events: readonly InboxEvent[], { id }: Accepted) =>
  events.filter((event) => analysisOf(event) === id);

const analysisFormat = z.object({ analise_id: z.number() });
const submissionFormat = z.object({ analises: z.array(analysisFormat) });
const eventFormat = z.object({ data: analysisFormat });

const analysisOf = ({ raw }: { readonly raw: string }): number => eventFormat.parse(JSON.parse(raw)).data.analise_id;
