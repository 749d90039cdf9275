import type { Context } from 'aws-lambda';
import { afterAll, beforeAll } from 'vitest';
import type { AwsLikeSettings } from '#infra/local/aws/aws-like/settings.ts';
import type { AwsLike, ObservedCall } from '#infra/local/aws/aws-like.ts';
import { freePort } from '#infra/local/listen.ts';
import { type StandInOperator, type StandInOptions, startOperator } from '#infra/local/operator/operator.ts';
import { MAX_POLL_SHARDS, pollPartition, shardOf } from '#shared/domain/analyses/poll-schedule.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { type Delivery, EVENT_TYPES, eventIdOf } from '#shared/domain/webhooks/delivery.ts';
import { operatorReference } from '#shared/operator/operator-api.ts';
import { getRows } from '#shared/table/rows/client.ts';
import { deliveryKey } from '#shared/table/rows/keys.ts';
import { readDelivery } from '#shared/table/rows/outbox.ts';
import { api } from './api.ts';
import { type CallAnswer, lambdaContext } from './call.ts';
import { interceptTable } from './intercepted.ts';
import { type MadePartner, makePartner, usePeers } from './peers.ts';
import { analysisBody, cpfFrom, leadBody } from './people.ts';
import { holdClock, passPeersTime, passTime, releaseClock } from './test-clock.ts';

/** A person with a lead of their own, and the body of their submissions. */
export interface Person {
  readonly cpf: string;
  readonly lead: number;
  readonly body: Record<string, unknown>;
}

const LOCK = 61_000;
/** Longer than the lag of an index, in milliseconds. */
const INDEXES_FOLLOW = 5000;
let peopleMade = 0;
/** Port of the operator for every scene of a process. Handlers keep its address from one test file to the next. */
let operatorPort: number | undefined;

export interface SceneOptions extends Partial<StandInOptions> {
  /** Environment of the calls. @default producao */
  readonly environment?: Environment;
  /** The partner's number of calls a minute in each environment. */
  readonly limit?: number;
  /** Puts the AWS-like wire in front of the peers. @default what AWS_LIKE says */
  readonly awsLike?: AwsLikeSettings;
  /** Called with each call that the wire answers. */
  readonly observed?: (call: ObservedCall) => void;
}

/**
 * Everything that the stories of a test file need, from its first test to its last: peers, a stand-in operator, one
 * partner and the clock, with the steps of the stories. By default the operator makes a second query for a repeated
 * reference. So a test sees if the service submits twice.
 */
export function useScene(options: SceneOptions = {}): Scene {
  const peers = usePeers(options.awsLike && { awsLike: options.awsLike, observed: options.observed });
  const scene = new Scene(peers, options.environment ?? 'producao');
  beforeAll(() => scene.open(options));
  afterAll(() => scene.close());
  return scene;
}

export class Scene {
  readonly peers: ReturnType<typeof usePeers>;
  readonly environment: Environment;
  operator!: StandInOperator;
  /** The partner that calls. A test may replace it. */
  partner!: MadePartner;
  /** Runs the poller once. Imported after the environment is set. */
  #poll!: (tick: { time: string; shard: number; shards: number }, context: Context) => Promise<void>;

  constructor(peers: ReturnType<typeof usePeers>, environment: Environment) {
    this.peers = peers;
    this.environment = environment;
  }

  async open({ environment: _, awsLike: __, observed: ___, limit, ...operator }: SceneOptions): Promise<void> {
    holdClock();
    operatorPort ??= await freePort();
    this.operator = await startOperator({
      port: operatorPort,
      token: 'the-operator-token',
      idempotent: false,
      clock: () => Date.now(),
      ...operator,
    });
    process.env['OPERATOR_URL'] = this.operator.url;
    interceptTable();
    this.partner = await makePartner(limit);
    this.#poll = (await import('#functions/pollers/poll-bank-outcomes.ts')).handler;
  }

  async close(): Promise<void> {
    releaseClock();
    await this.operator.close();
  }

  /** The wire in front of the peers. Throws an Error if the scene has none. */
  get awsLike(): AwsLike {
    if (!this.peers.awsLike) throw new Error('the scene was opened without the AWS-like wire');
    return this.peers.awsLike;
  }

  get key(): string {
    return this.partner.keys[this.environment];
  }

  /** Makes a lead for a new person. */
  async person(cpf = cpfFrom(++peopleMade), lead: Record<string, unknown> = {}): Promise<Person> {
    const answer = await api('createLead', { key: this.key, body: leadBody({ cpf, ...lead }) });
    const id = Number(answer.body.lead_id);
    return { cpf, lead: id, body: analysisBody(id, { cpf }) };
  }

  submit(person: Person, banks: readonly Bank[], idempotencyKey: string): Promise<CallAnswer> {
    return this.submitBody({ ...person.body, bancos: banks }, idempotencyKey);
  }

  submitBody(body: Record<string, unknown>, once: string): Promise<CallAnswer> {
    return api('submitAnalyses', { key: this.key, body, once });
  }

  status(analysis: number): Promise<CallAnswer> {
    return api('getAnalysisStatus', { key: this.key, id: analysis });
  }

  analyses(lead: number, query: Record<string, string> = { limit: '100' }): Promise<CallAnswer> {
    return api('listLeadAnalyses', { key: this.key, id: lead, query });
  }

  consents(lead: number, query: Record<string, string> = { limit: '100' }): Promise<CallAnswer> {
    return api('listLeadConsents', { key: this.key, id: lead, query });
  }

  /**
   * Runs the poller once for everything. With people, runs once each of the 60 shards that have analyses of their
   * leads.
   */
  async poll(...persons: readonly Person[]): Promise<void> {
    await this.#pollOf(persons);
    // The indexes catch up, so that a test sees in them what the run has written.
    passPeersTime(INDEXES_FOLLOW);
  }

  async #pollOf(persons: readonly Person[]): Promise<void> {
    if (persons.length === 0) return this.#pollShard(0, 1);
    const shards = new Set<number>();
    for (const { lead } of persons) {
      for (const { analise_id, banco } of (await this.analyses(lead)).body.analises)
        shards.add(this.shardOf(analise_id, banco, MAX_POLL_SHARDS));
    }
    for (const shard of shards) await this.#pollShard(shard, MAX_POLL_SHARDS);
  }

  #pollShard(shard: number, shards: number): Promise<void> {
    return this.#poll({ time: timestamp(Date.now()), shard, shards }, lambdaContext(55_000));
  }

  /** Lets a minute pass, then runs the poller like `poll`. */
  async tick(...persons: readonly Person[]): Promise<void> {
    passTime(60_000);
    await this.poll(...persons);
  }

  /** Lets the time pass for which the run that claimed a key keeps its lock. */
  lockRunsOut(): void {
    passTime(LOCK);
  }

  /** Returns the shard that asks about an analysis. */
  shardOf(analysis: number, bank: Bank, shards: number): number {
    return shardOf(pollPartition({ environment: this.environment, bank, id: analysis as AnalysisId }), shards);
  }

  reference(analysis: number): string {
    return operatorReference({ unitId: this.partner.unitId, environment: this.environment }, analysis as AnalysisId);
  }

  /**
   * Lets up to five minutes pass until each bank has a query on the person. On a busy machine a bank submission may
   * find no connection in time. Then the analysis is in doubt, and the poller sends it.
   */
  async settled(person: Person, banks: readonly Bank[]): Promise<void> {
    for (let minute = 0; minute < 5 && this.queriesOn(person, banks).includes(0); minute++) await this.tick(person);
  }

  /** Returns the number of credit queries on a person at each bank. */
  queriesOn(person: Person, banks: readonly Bank[]): number[] {
    return banks.map((bank) => this.operator.control.queriesOn(person.cpf, bank));
  }

  /** Returns the deliveries of the events that analyses have caused. */
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
