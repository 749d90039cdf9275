import type { Context } from 'aws-lambda';
import { afterAll, beforeAll } from 'vitest';
import type { AwsLikeSettings } from '#infra/local/aws/aws-like/settings.ts';
import type { AwsLike, ObservedCall } from '#infra/local/aws/aws-like.ts';
import { freePort } from '#infra/local/listen.ts';
import { type StandInOperator, type StandInOptions, startOperator } from '#infra/local/operator/operator.ts';
import { MAX_POLL_SHARDS, pollPartition, shardOf } from '#shared/domain/analyses/poll-schedule.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
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

/** A lead of its own, and the body of its submissions. */
export interface Person {
  readonly cpf: string;
  readonly lead: number;
  readonly body: Record<string, unknown>;
}

const LOCK = 61_000;
/** Longer than an index is late, in milliseconds. */
const INDEXES_FOLLOW = 5000;
let people = 0;
/** The operator of every scene of a process stands here: handlers keep its address from one file to the next. */
let operatorPort: number | undefined;

export interface SceneOptions extends Partial<StandInOptions> {
  /** Of the calls; production where none is given. */
  readonly environment?: Environment;
  /** The partner's calls a minute in each environment. */
  readonly limit?: number;
  /** Puts the AWS-like wire before the peers. @default what AWS_LIKE says */
  readonly awsLike?: AwsLikeSettings;
  /** Told of each call that the wire answers. */
  readonly observed?: (call: ObservedCall) => void;
}

/**
 * What a test file plays on, from its first test to its last: peers, a stand-in operator, one partner and the clock, with
 * the steps of which the stories are made. The operator makes a second query for a repeated reference, unless told otherwise.
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
  /** Who calls; a test may put another in its place. */
  partner!: MadePartner;
  /** One run of the poller, imported once the environment stands. */
  #poll!: (tick: { shard: number; shards: number }, context: Context) => Promise<void>;

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

  /** The wire before the peers, where the scene was opened with one. */
  get awsLike(): AwsLike {
    if (!this.peers.awsLike) throw new Error('the scene was opened without the AWS-like wire');
    return this.peers.awsLike;
  }

  get key(): string {
    return this.partner.keys[this.environment];
  }

  /** A lead that nobody had before. */
  async person(cpf = cpfFrom(++people), lead: Record<string, unknown> = {}): Promise<Person> {
    const made = await api('createLead', { key: this.key, body: leadBody({ cpf, ...lead }) });
    const id = Number(made.body.lead_id);
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

  /** One run of the poller over everything; or, for some leads, one of each of 60 shards in which they have analyses. */
  async poll(...of: readonly Person[]): Promise<void> {
    await this.#pollOf(of);
    // Whoever looks at what the run did comes after the indexes.
    passPeersTime(INDEXES_FOLLOW);
  }

  async #pollOf(of: readonly Person[]): Promise<void> {
    if (of.length === 0) return this.#poll({ shard: 0, shards: 1 }, lambdaContext(55_000));
    const shards = new Set<number>();
    for (const { lead } of of) {
      for (const { analise_id, banco } of (await this.analyses(lead)).body.analises)
        shards.add(this.shardOf(analise_id, banco, MAX_POLL_SHARDS));
    }
    for (const shard of shards) await this.#poll({ shard, shards: MAX_POLL_SHARDS }, lambdaContext(55_000));
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
   * minutes pass until it has, five at most.
   */
  async settled(person: Person, banks: readonly Bank[]): Promise<void> {
    for (let minute = 0; minute < 5 && this.queriesOn(person, banks).includes(0); minute++) await this.tick(person);
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
