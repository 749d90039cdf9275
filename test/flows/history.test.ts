import { describe, expect, it, vi } from 'vitest';
import { handler as poll } from '#functions/pollers/poll-bank-outcomes.ts';
import { awsLikeSettings, seededRandom } from '#infra/local/aws/aws-like/settings.ts';
import type { OperatorFaultKind } from '#infra/local/operator/faults.ts';
import { BANK_IDENTITIES, BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { queryAllRows } from '#shared/table/rows/client.ts';
import { deliveryListPartition } from '#shared/table/rows/keys.ts';
import { api, type Operation } from '../makers/api.ts';
import { type CallAnswer, lambdaContext } from '../makers/call.ts';
import { extendTimeLimits } from '../makers/crowd.ts';
import { failingAt, intercepted, stoppedAt } from '../makers/intercepted.ts';
import { type MadePartner, makePartner } from '../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';
import { Erasable } from './erasable.ts';
import { History } from './history.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));
// On AWS each caller has a container. Here one process serves all callers, and is slower. So the time limits are
// longer: otherwise slow calls would count as time-outs of the operator. With BAD_DAY calls hang, and the real limits
// are tested.
const PATIENCE = process.env['BAD_DAY'] ? 1 : 15;
const { timeout } = AbortSignal;
vi.spyOn(AbortSignal, 'timeout').mockImplementation((time) => timeout.call(AbortSignal, time * PATIENCE));
vi.mock('#shared/outbound/time-limit.ts', async (original) => {
  const real = await original<typeof import('#shared/outbound/time-limit.ts')>();
  const withTimeLimit: typeof real.withTimeLimit = (time, ...rest) => real.withTimeLimit(time * PATIENCE, ...rest);
  return { ...real, withTimeLimit };
});
// A failed run ends with an error that quotes nothing. Here it carries the original error as its cause.
vi.mock('#shared/runtime/deadline.ts', async (original) => {
  const real = await original<typeof import('#shared/runtime/deadline.ts')>();
  const backgroundRun: typeof real.backgroundRun = async (operation, context, run, facts) => {
    let cause: unknown;
    const noted = async () => {
      try {
        return await run();
      } catch (error) {
        cause = error;
        throw error;
      }
    };
    try {
      return await real.backgroundRun(operation, context, noted, facts);
    } catch (failed) {
      throw failed instanceof Error ? Object.assign(failed, { cause }) : failed;
    }
  };
  return { ...real, backgroundRun };
});

const SOAK = Boolean(process.env['SOAK']);
/** Whether the wire in front of table, queues and secrets injects every fault that it knows. */
const BAD_DAY = Boolean(process.env['BAD_DAY']);
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
const OPERATIONS = SOAK ? 2_500 : 600;
const SEEDS = process.env['SEEDS']?.split(',').map(Number) ?? (SOAK ? [1, 2, 3] : [1]);
const CLIENTS = 20;
const FAULTY = 0.05;
/** Number of operations between two pauses, in which nothing runs and a minute passes. */
const ROUND = 250;
const INCOME = 18_000;
const OPERATOR_FAULTS: readonly OperatorFaultKind[] = [
  'lost_answer',
  'lost_before',
  'error_500',
  'error_500_after',
  'garbage',
];
const TEXTS = ['Em análise', 'Aprovado', 'Aprovado com restrição', 'Reprovado', 'Cancelado', 'ERRO', 'Situação 17-B'];

const scene = useScene();

interface Submitted {
  readonly id: number;
  readonly lead: number;
  readonly bank: Bank;
  readonly start: number;
  readonly end: number;
}

/** The story of one seed: the calls that it makes, their answers, and what must hold at the end. */
class Story {
  readonly history = new History(BAD_DAY);
  erasable!: Erasable;
  readonly #random: () => number;
  readonly #cpfs: readonly string[];
  readonly #leads = new Map<string, number>();
  readonly #asked = new Map<string, { start: number; end: number; body: string; lead: number }[]>();
  readonly #submitted = new Map<number, Submitted>();
  readonly #leadKeys = new Map<string, string>();
  #now = 0;
  #income = 20_000;
  #keys = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#cpfs = Array.from({ length: Math.max(10, OPERATIONS / 100) }, (_, index) => cpfFrom(seed * 10_000 + index));
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  #one<T>(of: readonly T[]): T {
    return of[this.#below(of.length)]!;
  }

  /** Makes one call, sometimes with an injected failure. `result` is undefined if the process was stopped. */
  async #call<T>(run: () => Promise<T>): Promise<{ start: number; end: number; lost: boolean; result: T | undefined }> {
    const start = ++this.#now;
    const lost = this.#random() < FAULTY;
    const point = { at: 1 + this.#below(7), when: this.#one(['before', 'after'] as const) };
    const stops = this.#random() < 0.5;
    let result: T | undefined;
    if (!lost) result = await run();
    else if (stops) ({ result } = await stoppedAt(point, run));
    else result = await intercepted(failingAt(point), run);
    return { start, end: ++this.#now, lost, result };
  }

  #handler(operation: Operation, options: object): () => Promise<CallAnswer> {
    return () => api(operation, { key: scene.key, ...options });
  }

  async createLead(cpf = this.#one(this.#cpfs)): Promise<void> {
    const key = this.#random() < 0.5 ? `${cpf}-${this.#below(2)}` : undefined;
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const { result, ...span } = await this.#call(
      this.#handler('createLead', { body: leadBody({ cpf, renda: INCOME }), headers }),
    );
    if (!result) return;
    const { status, text, body } = result;
    const replayed = result.headers['idempotent-replay'] !== undefined;
    this.history.lead(cpf, { ...span, status, text, lead: body.lead_id, replayed });
    if (status >= 300) return;
    this.#leads.set(cpf, body.lead_id);
    if (key === undefined) return;
    if ((this.#leadKeys.get(key) ?? text) !== text) this.history.contradicts(`lead key ${key}: two answers`);
    this.#leadKeys.set(key, text);
  }

  async #lead(): Promise<{ cpf: string; lead: number } | undefined> {
    const cpf = this.#one(this.#cpfs);
    const lead = this.#leads.get(cpf);
    if (lead === undefined) await this.createLead(cpf);
    return lead === undefined ? undefined : { cpf, lead };
  }

  async patch(): Promise<void> {
    const known = await this.#lead();
    if (!known) return;
    const value = ++this.#income;
    const start = ++this.#now;
    const { result, ...span } = await this.#call(
      this.#handler('updateLead', { id: known.lead, body: { renda: value } }),
    );
    const { status = 599, text = '' } = result ?? {};
    this.history.changedIncome(known.lead, { ...span, start, status, text, value, lost: span.lost || !result });
  }

  async read(): Promise<void> {
    const known = await this.#lead();
    if (!known) return;
    const { result, ...span } = await this.#call(this.#handler('getLead', { id: known.lead }));
    if (!result) return;
    this.history.answered('get lead', { ...span, status: result.status });
    if (result.status === 200) this.history.readIncome(known.lead, result.body.lead.renda, span);
  }

  async simulate(): Promise<void> {
    const known = await this.#lead();
    if (!known) return;
    const body = { lead_id: known.lead, valor_imovel: 500_000, bancos: [this.#one(BANKS)] };
    const { result, ...span } = await this.#call(this.#handler('createSimulation', { body }));
    if (result) this.history.answered('simulation', { ...span, status: result.status });
  }

  async submit(): Promise<void> {
    const known = await this.#lead();
    if (!known) return;
    const keys = [...this.#asked.keys()];
    if (keys.length > 0 && this.#random() < 0.5) {
      const key = this.#one(keys.slice(-40));
      const [first] = this.#asked.get(key)!;
      const other = this.#random() < 0.2;
      const body = JSON.parse(first!.body);
      await this.submitWith(key, first!.lead, other ? { ...body, valor_imovel: body.valor_imovel + 1 } : body);
      return;
    }
    const banks = BANKS.filter(() => this.#random() < 0.3);
    const bancos = banks.length > 0 ? banks : [this.#one(BANKS)];
    await this.submitWith(`key-${++this.#keys}`, known.lead, analysisBody(known.lead, { cpf: known.cpf, bancos }));
  }

  async submitWith(key: string, lead: number, body: Record<string, unknown>): Promise<number> {
    const attempt = { start: ++this.#now, end: Number.POSITIVE_INFINITY, body: JSON.stringify(body), lead };
    this.#asked.set(key, [...(this.#asked.get(key) ?? []), attempt]);
    const { result, ...span } = await this.#call(() => scene.submitBody(body, key));
    attempt.end = span.end;
    if (!result) return 0;
    const { status, text } = result;
    const seen = { ...span, start: attempt.start, status, text };
    this.history.submitted(key, { ...seen, body: attempt.body, codigo: result.body.codigo ?? '' });
    if (status !== 202) return status;
    for (const { analise_id, banco_id, num_consulta, sucesso } of result.body.analises) {
      const bank = BANKS.find((one) => BANK_IDENTITIES[one].id === banco_id)!;
      const earlier = this.#submitted.get(analise_id);
      if (!earlier) this.#submitted.set(analise_id, { id: analise_id, lead, bank, start: span.start, end: span.end });
      if (!sucesso) this.history.contradicts(`analysis ${analise_id}: refused by nobody`);
      if (num_consulta === undefined) this.history.contradicts(`analysis ${analise_id}: no number`);
    }
    return status;
  }

  async status(): Promise<void> {
    const of = [...this.#submitted.values()];
    if (of.length === 0) return;
    const { id } = this.#one(of);
    const { result, ...span } = await this.#call(() => scene.status(id));
    if (!result) return;
    this.history.answered('status', { ...span, status: result.status });
    if (result.status >= 500) return;
    if (result.status !== 200) return this.history.contradicts(`status of ${id}: ${result.status}`);
    const { situacao, num_consulta, pendente } = result.body.analise;
    if (pendente !== (situacao === 'em_analise')) this.history.contradicts(`analysis ${id}: pendente`);
    this.history.saw(id, { ...span, situation: situacao, queryNumber: num_consulta });
  }

  async list(): Promise<void> {
    const known = await this.#lead();
    if (!known) return;
    const { result, ...span } = await this.#call(() => scene.analyses(known.lead));
    if (!result) return;
    this.history.answered('list', { ...span, status: result.status });
    if (result.status !== 200) return;
    const { analises, pendentes, tem_mais } = result.body;
    const shown = analises as { analise_id: number; situacao: never; pendente: boolean }[];
    if (!tem_mais) {
      if (pendentes !== shown.filter(({ pendente }) => pendente).length) this.history.contradicts('list: pendentes');
      const mine = [...this.#submitted.values()].filter(({ lead }) => lead === known.lead);
      this.history.listed(
        shown.map(({ analise_id }) => analise_id),
        mine,
        span,
      );
    }
    for (const { analise_id, situacao } of shown)
      this.history.saw(analise_id, { ...span, situation: situacao, queryNumber: undefined });
  }

  /** Lets a second pass and runs one of six shards of the poller, perhaps while another poller runs. */
  async tick(): Promise<void> {
    passTime(1_000);
    const shard = this.#below(6);
    const run = await this.#call(() => {
      const event = { time: timestamp(Date.now()), shard, shards: 6 };
      return poll(event, lambdaContext(55_000)).catch((error) => error);
    });
    if (!(run.result instanceof Error) || run.lost) return;
    const { cause } = run.result;
    const isUnavailable = cause instanceof Failure && cause.code === 'servico_indisponivel';
    if (!BAD_DAY || !isUnavailable) this.history.contradicts(`poll: ${cause}`);
  }

  /** Lets a bank give an analysis a status text. */
  decide(): void {
    const of = [...this.#submitted.values()];
    if (of.length === 0) return;
    const { id } = this.#one(of);
    const text = this.#one(TEXTS);
    this.history.said(id, text);
    scene.operator.control.decide(scene.reference(id), text);
  }

  /** Adds a second partner, whose people are erased and whose webhook changes during the story. */
  async withErasable(partner: MadePartner, seed: number): Promise<void> {
    this.erasable = await Erasable.begin({
      ...{ scene, partner, call: (run) => this.#call(run), one: (of) => this.#one(of), clock: () => ++this.#now },
      cpfs: Array.from({ length: 8 }, (_, index) => cpfFrom(seed * 10_000 + 5_000 + index)),
      mayBeUnavailable: BAD_DAY,
    });
  }

  async step(): Promise<void> {
    if (this.#random() < 0.15) return this.erasable.step();
    const dice = this.#random();
    if (dice < 0.1) return this.createLead();
    if (dice < 0.22) return this.patch();
    if (dice < 0.32) return this.read();
    if (dice < 0.36) return this.simulate();
    if (dice < 0.62) return this.submit();
    if (dice < 0.82) return this.status();
    if (dice < 0.93) return this.list();
    if (dice < 0.97) return this.decide();
    return this.tick();
  }

  /** Ends the story: each key is sent once more, each bank decides, and the poller runs until nothing is pending. */
  async end(): Promise<void> {
    scene.operator.control.clear();
    passTime(61_000);
    for (const [key, attempts] of this.#asked) {
      for (const body of new Set(attempts.map((attempt) => attempt.body))) {
        let status = 0;
        while (status === 0 || status >= 500 || status === 409) {
          status = await this.submitWith(key, attempts[0]!.lead, JSON.parse(body));
          if (status === 409 || status >= 500 || status === 0) passTime(61_000);
        }
      }
    }
    for (const { id } of this.#submitted.values()) scene.operator.control.decide(scene.reference(id), 'Aprovado');
    let waiting = true;
    for (let minute = 0; minute < 12 && waiting; minute++) {
      passTime(60_000);
      await scene.poll();
      const pending = await Promise.all([...this.#leads.values()].map((lead) => this.#everything(lead)));
      waiting = pending.flat().some(({ pendente }) => pendente);
    }
    if (waiting) this.history.contradicts('something waits for ever');
  }

  async #everything(lead: number): Promise<{ analise_id: number; situacao: string; pendente: boolean }[]> {
    return this.#allOf((page) => scene.analyses(lead, page), 'analises');
  }

  async #allOf<T>(read: (page: Record<string, string>) => Promise<CallAnswer>, field: string): Promise<T[]> {
    const all: T[] = [];
    for (let more = true; more; ) {
      const { body } = await read({ limit: '100', offset: String(all.length) });
      all.push(...body[field]);
      more = body.tem_mais;
    }
    return all;
  }

  /** Checks what must hold at the end, whatever happened before. */
  async expectEnd(): Promise<void> {
    this.history.keysAgree(this.#asked);
    this.history.incomesAgree(INCOME);
    const events: string[] = [];
    for (const lead of this.#leads.values()) {
      const mine = [...this.#submitted.values()].filter((one) => one.lead === lead);
      const all = await this.#everything(lead);
      expect(all.map(({ analise_id }) => analise_id).sort()).toEqual(mine.map(({ id }) => id).sort());
      const keys = [...this.#asked.values()].filter(([first]) => first!.lead === lead).length;
      expect(await this.#allOf((page) => scene.consents(lead, page), 'consentimentos')).toHaveLength(keys);
      for (const { analise_id, situacao } of all) {
        const span = { start: ++this.#now, end: ++this.#now };
        this.history.saw(analise_id, { ...span, situation: situacao as never, queryNumber: undefined });
        const [event, ...more] = await scene.events([analise_id]);
        expect(more).toEqual([]);
        expect(event?.type).toBe(situacao === 'erro' ? 'analise.erro' : 'analise.resultado');
        expect(JSON.parse(event!.body).data).toMatchObject({ analise_id, situacao });
        events.push(event!.eventId);
      }
    }
    const booked = await queryAllRows({
      IndexName: 'byList',
      KeyConditionExpression: 'listPk = :pk',
      ExpressionAttributeValues: { ':pk': deliveryListPartition(scene.partner.partnerId) },
    });
    expect(booked.map(({ eventId }) => eventId).sort()).toEqual(events.sort());
    const unit = `producao-${scene.partner.unitId}-`;
    const references = Object.entries(scene.operator.control.state().references).filter(([name]) =>
      name.startsWith(unit),
    );
    expect(references.filter(([, { accepted }]) => accepted !== 1)).toEqual([]);
    expect(references.map(([name]) => name).sort()).toEqual(
      [...this.#submitted.keys()].map((id) => scene.reference(id)).sort(),
    );
    expect(this.history.faults).toEqual([]);
  }
}

describe(`${CLIENTS} clients, ${OPERATIONS} operations, 5 % failures`, { timeout: 900_000 }, () => {
  it.each(SEEDS)('the model of the service explains each answer, also while calls fail (seed %i)', async (seed) => {
    scene.partner = await makePartner();
    for (const kind of OPERATOR_FAULTS) scene.operator.control.fault({ kind, rate: FAULTY / OPERATOR_FAULTS.length });
    const story = new Story(seed);
    await story.withErasable(await makePartner(), seed);
    // With BAD_DAY calls hang, and their real time limits are tested.
    if (BAD_DAY) scene.awsLike.set(awsLikeSettings('harsh'));
    else extendTimeLimits();
    for (let done = 0; done < OPERATIONS; done += ROUND) {
      let left = Math.min(ROUND, OPERATIONS - done);
      const client = async () => {
        while (left-- > 0) await story.step();
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      passTime(61_000);
    }
    if (BAD_DAY) {
      scene.awsLike.set(awsLikeSettings('default'));
      extendTimeLimits();
    }
    await story.end();
    await story.expectEnd();
    await story.erasable.expectEnd();
  });
});
