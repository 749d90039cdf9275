import type { Context } from 'aws-lambda';
import { type LocalDesk, type LocalDeskOptions, startDesk } from '../../infra/local/desk.ts';
import { deskReference } from '../../shared/banks/desk.ts';
import * as routes from '../../shared/contract/routes.ts';
import { SLOTS, slotOf } from '../../shared/domain/analysis.ts';
import type { Bank } from '../../shared/domain/bank.ts';
import { type Delivery, EVENT_TYPES, eventId } from '../../shared/domain/delivery.ts';
import type { AnalysisId } from '../../shared/domain/ids.ts';
import type { Environment } from '../../shared/domain/partner.ts';
import { getRows } from '../../shared/table/client.ts';
import { readDelivery } from '../../shared/table/deliveries.ts';
import { deliveryKey } from '../../shared/table/keys.ts';
import { type CallAnswer, callHandler, lambdaContext } from './call.ts';
import { interceptTable } from './intercepted.ts';
import { type MadePartner, makePartner, type Peers, startPeers } from './peers.ts';
import { analysisBody, cpfFrom, leadBody } from './people.ts';
import { holdClock, passTime, releaseClock } from './test-clock.ts';

/** The handlers that a scene plays with; imported by the test, after it has mocked what it mocks. */
export interface Handlers {
  readonly createLead: unknown;
  readonly submitAnalyses: unknown;
  readonly getAnalysisStatus: unknown;
  readonly listLeadAnalyses: unknown;
  readonly listLeadConsents: unknown;
  readonly poll: (tick: { shard: number; shards: number }, context: Context) => Promise<void>;
}

/** A lead of its own, and the body of its submissions. */
export interface Person {
  readonly cpf: string;
  readonly lead: number;
  readonly body: Record<string, unknown>;
}

const LOCK = 61_000;
let people = 0;

/** Peers, a stand-in desk and one partner, with the steps of which the stories are made. */
export class Scene {
  readonly desk: LocalDesk;
  /** Who calls; a test may put another in its place. */
  partner: MadePartner;
  readonly environment: Environment;
  readonly #peers: Peers;
  readonly #handlers: Handlers;

  private constructor(peers: Peers, desk: LocalDesk, partner: MadePartner, handlers: Handlers, env: Environment) {
    this.#peers = peers;
    this.desk = desk;
    this.partner = partner;
    this.environment = env;
    this.#handlers = handlers;
  }

  /** `handlers` is asked for once the environment stands. The desk breaks its promise: a repeated reference makes a second query. */
  static async open(
    handlers: Handlers,
    options: Partial<LocalDeskOptions> & { readonly environment?: Environment } = {},
  ): Promise<Scene> {
    holdClock();
    const peers = await startPeers();
    const { environment = 'producao', ...desk } = options;
    const standIn = await startDesk({ token: 'the-desk-token', idempotent: false, clock: () => Date.now(), ...desk });
    process.env['DESK_URL'] = standIn.url;
    interceptTable();
    return new Scene(peers, standIn, await makePartner(), handlers, environment);
  }

  async close(): Promise<void> {
    releaseClock();
    await this.desk.close();
    await this.#peers.close();
  }

  get key(): string {
    return this.partner.keys[this.environment];
  }

  /** A lead that nobody had before. */
  async person(cpf = cpfFrom(++people), lead: Record<string, unknown> = {}): Promise<Person> {
    const made = await callHandler(this.#handlers.createLead, routes.createLead, {
      key: this.key,
      body: leadBody({ cpf, ...lead }),
    });
    const id = Number(made.body.lead_id);
    return { cpf, lead: id, body: analysisBody(id, { cpf }) };
  }

  submit(person: Person, banks: readonly Bank[], idempotencyKey: string): Promise<CallAnswer> {
    return this.submitBody({ ...person.body, bancos: banks }, idempotencyKey);
  }

  submitBody(body: Record<string, unknown>, idempotencyKey: string): Promise<CallAnswer> {
    return callHandler(this.#handlers.submitAnalyses, routes.submitAnalyses, {
      key: this.key,
      body,
      headers: { 'idempotency-key': idempotencyKey },
    });
  }

  status(analysis: number): Promise<CallAnswer> {
    return callHandler(this.#handlers.getAnalysisStatus, routes.getAnalysisStatus, { key: this.key, id: analysis });
  }

  analyses(lead: number, query: Record<string, string> = { limit: '100' }): Promise<CallAnswer> {
    return callHandler(this.#handlers.listLeadAnalyses, routes.listLeadAnalyses, { key: this.key, id: lead, query });
  }

  consents(lead: number, query: Record<string, string> = { limit: '100' }): Promise<CallAnswer> {
    return callHandler(this.#handlers.listLeadConsents, routes.listLeadConsents, { key: this.key, id: lead, query });
  }

  /** One run of the poller over all slots; or, for some leads, a run over each slot in which they have analyses. */
  async poll(...of: readonly Person[]): Promise<void> {
    if (of.length === 0) return this.#handlers.poll({ shard: 0, shards: 1 }, lambdaContext(55_000));
    const slots = new Set<number>();
    for (const { lead } of of) {
      for (const { analise_id } of (await this.analyses(lead)).body.analises) slots.add(slotOf(analise_id));
    }
    for (const slot of slots) await this.#handlers.poll({ shard: slot, shards: SLOTS }, lambdaContext(55_000));
  }

  /** A minute passes, and the poller runs as in `poll`. */
  async tick(...of: readonly Person[]): Promise<void> {
    passTime(60_000);
    await this.poll(...of);
  }

  /** The time passes for which a key is held by the run that claimed it. */
  lockRunsOut(): void {
    passTime(LOCK);
  }

  reference(analysis: number): string {
    return deskReference({ unit: this.partner.unit, environment: this.environment }, analysis as AnalysisId);
  }

  /**
   * On a busy machine a hand-over may find no connection in time: it stays in doubt, and the poller sends it. Lets
   * minutes pass until it has, three at most.
   */
  async settled(person: Person, banks: readonly Bank[]): Promise<void> {
    for (let minute = 0; minute < 3 && this.queriesOn(person, banks).includes(0); minute++) await this.tick(person);
  }

  /** Credit queries that were made on a person, by bank. */
  queriesOn(person: Person, banks: readonly Bank[]): number[] {
    return banks.map((bank) => this.desk.control.queriesOn(person.cpf, bank));
  }

  /** The events that analyses have caused. */
  async events(analyses: readonly number[]): Promise<Delivery[]> {
    const tenancy = { unit: this.partner.unit, environment: this.environment };
    const keys = analyses.flatMap((id) =>
      EVENT_TYPES.flatMap((type) =>
        [1, 2].map((sequence) => deliveryKey(eventId(tenancy, id as AnalysisId, type, sequence))),
      ),
    );
    return (await getRows(keys)).flatMap((row) => (row ? [readDelivery(row)] : []));
  }
}
