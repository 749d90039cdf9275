import type { Context } from 'aws-lambda';
import { type StandInOperator, type StandInOptions, startOperator } from '../../infra/local/operator/operator.ts';
import * as routes from '../../shared/contract/routes.ts';
import { MAX_POLL_SHARDS, pollPartition, shardOf } from '../../shared/domain/analyses/poll-schedule.ts';
import type { Bank } from '../../shared/domain/values/bank.ts';
import type { AnalysisId } from '../../shared/domain/values/ids.ts';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import { type Delivery, EVENT_TYPES, eventIdOf } from '../../shared/domain/webhooks/delivery.ts';
import { operatorReference } from '../../shared/operator/operator-api.ts';
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

/** Peers, a stand-in operator and one partner, with the steps of which the stories are made. */
export class Scene {
  readonly operator: StandInOperator;
  /** Who calls; a test may put another in its place. */
  partner: MadePartner;
  readonly environment: Environment;
  readonly #peers: Peers;
  readonly #handlers: Handlers;

  private constructor(
    peers: Peers,
    operator: StandInOperator,
    partner: MadePartner,
    handlers: Handlers,
    env: Environment,
  ) {
    this.#peers = peers;
    this.operator = operator;
    this.partner = partner;
    this.environment = env;
    this.#handlers = handlers;
  }

  /** `handlers` is asked for once the environment stands. The operator breaks its promise: a repeated reference makes a second query. */
  static async open(
    handlers: Handlers,
    options: Partial<StandInOptions> & { readonly environment?: Environment } = {},
  ): Promise<Scene> {
    holdClock();
    const peers = await startPeers();
    const { environment = 'producao', ...operator } = options;
    const standIn = await startOperator({
      token: 'the-operator-token',
      idempotent: false,
      clock: () => Date.now(),
      ...operator,
    });
    process.env['OPERATOR_URL'] = standIn.url;
    interceptTable();
    return new Scene(peers, standIn, await makePartner(), handlers, environment);
  }

  async close(): Promise<void> {
    releaseClock();
    await this.operator.close();
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

  /** One run of the poller over everything; or, for some leads, one of each of 60 shards in which they have analyses. */
  async poll(...of: readonly Person[]): Promise<void> {
    if (of.length === 0) return this.#handlers.poll({ shard: 0, shards: 1 }, lambdaContext(55_000));
    const shards = new Set<number>();
    for (const { lead } of of) {
      for (const { analise_id, banco } of (await this.analyses(lead)).body.analises)
        shards.add(this.shardOf(analise_id, banco, MAX_POLL_SHARDS));
    }
    for (const shard of shards) await this.#handlers.poll({ shard, shards: MAX_POLL_SHARDS }, lambdaContext(55_000));
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

  /** The shard that asks about an analysis. */
  shardOf(analysis: number, bank: Bank, shards: number): number {
    return shardOf(pollPartition({ environment: this.environment, bank, id: analysis as AnalysisId }), shards);
  }

  reference(analysis: number): string {
    return operatorReference({ unitId: this.partner.unitId, environment: this.environment }, analysis as AnalysisId);
  }

  /**
   * On a busy machine a bank submission may find no connection in time: it stays in doubt, and the poller sends it. Lets
   * minutes pass until it has, three at most.
   */
  async settled(person: Person, banks: readonly Bank[]): Promise<void> {
    for (let minute = 0; minute < 3 && this.queriesOn(person, banks).includes(0); minute++) await this.tick(person);
  }

  /** Credit queries that were made on a person, by bank. */
  queriesOn(person: Person, banks: readonly Bank[]): number[] {
    return banks.map((bank) => this.operator.control.queriesOn(person.cpf, bank));
  }

  /** The events that analyses have caused. */
  async events(analyses: readonly number[]): Promise<Delivery[]> {
    const tenancy = { unitId: this.partner.unitId, environment: this.environment };
    const keys = analyses.flatMap((id) =>
      EVENT_TYPES.flatMap((type) =>
        [1, 2].map((sequence) => deliveryKey(eventIdOf(tenancy, id as AnalysisId, type, sequence))),
      ),
    );
    return (await getRows(keys)).flatMap((row) => (row ? [readDelivery(row)] : []));
  }
}
