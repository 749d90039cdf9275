import { randomUUID } from 'node:crypto';
import type { Analysis, AnalysisForm } from '../domain/analyses/analysis.ts';
import type {
  BankSubmission,
  NoUsableAnswer,
  OperatorAccess,
  OperatorApi,
  OperatorStatus,
} from '../domain/analyses/ports.ts';
import type { PushedOutcome } from '../domain/analyses/record-outcomes.ts';
import type { Bank } from '../domain/values/bank.ts';
import type { Clock } from '../domain/values/clock.ts';
import { type AnalysisId, idOf, type UnitId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Tenancy } from '../domain/values/tenancy.ts';
import { type Milliseconds, type Seconds, seconds } from '../domain/values/time.ts';
import { type HttpClient, httpClient, type OutboundAnswer } from '../outbound/http-client.ts';
import { OutboundError, unlessAborted, withTimeLimit } from '../outbound/time-limit.ts';
import { vetConfiguredUrl } from '../outbound/vetted-target.ts';
import { SafeError } from '../runtime/log.ts';
import { cachedSecret, hasSecret, putSecret } from '../runtime/secret.ts';
import { Circuit, type OperatorFault } from './circuit.ts';
import {
  answerSchemas,
  isBanksNumber,
  NoAnswer,
  readBatchAnswer,
  readStatusAnswer,
  readSubmitAnswer,
} from './read-answer.ts';

/** With the rest of an invocation this stays below the gateway's 29 s. */
const TOTAL_TIMEOUT: Milliseconds = seconds(10);
/** Including TLS. */
const CONNECT_TIMEOUT: Milliseconds = seconds(3);
/** The contract's answers are below 2 KB. */
const ANSWER_LIMIT = 64 * 1024;
const BATCH_ANSWER_LIMIT = 1024 * 1024;
/** As many connections as the poller uses in parallel, twenty for each bank. */
const KEEP_ALIVE = { connections: 120, idle: seconds(15) };

/** Contains no personal data. */
export interface OperatorObservation {
  readonly bank: Bank;
  readonly operation: 'submit' | 'query' | 'query_batch';
  readonly outcome: BankSubmission['kind'] | OperatorStatus['kind'] | BatchAnswer['kind'];
  /** Undefined if the call had an answer that can be trusted. */
  readonly fault: OperatorFault | undefined;
  readonly milliseconds: Milliseconds;
  readonly requestId: string;
}

type BatchAnswer =
  | { readonly kind: 'answered'; readonly statuses: readonly OperatorStatus[] }
  | { readonly kind: NoUsableAnswer };

export interface HttpOperatorOptions {
  /** Base URL: https, or plain http on loopback. Its path is kept. */
  readonly url: string;
  /** Called for each call to the operator. If it throws, nothing is sent. */
  readonly token: () => Promise<string>;
  /** Time limit of one whole call. @default 10 seconds */
  readonly totalTimeout?: Milliseconds | undefined;
  /** Errors of this callback are ignored: a metric must not lose a bank submission. */
  readonly observe?: (observation: OperatorObservation) => void;
  /** Returns the X-Request-Id if the analysis has none from its partner's call. @default a random UUID */
  readonly requestId?: () => string;
  readonly clock?: Clock;
}

/** Contains unit and environment, since ids are unique only within a unit. */
export const operatorReference = (tenancy: Tenancy, id: AnalysisId): string =>
  `${tenancy.environment}-${tenancy.unitId}-${id}`;

/**
 * Retries nothing: the poller decides when a bank is asked again (domain/analyses/poll-lane.ts). The constructor throws
 * a TypeError for a URL that `vetConfiguredUrl` refuses. The calls never throw.
 */
export class HttpOperatorApi implements OperatorApi {
  readonly #base: string;
  readonly #token: () => Promise<string>;
  readonly #totalTimeout: Milliseconds;
  readonly #observe: HttpOperatorOptions['observe'];
  readonly #newRequestId: () => string;
  readonly #clock: Clock;
  readonly #client: HttpClient;
  readonly #circuit: Circuit;
  readonly #answers = answerSchemas();

  constructor(options: HttpOperatorOptions) {
    const { clock = Date.now } = options;
    const target = vetConfiguredUrl(options.url);
    this.#base = target.url.href.replace(/\/$/, '');
    this.#token = options.token;
    this.#totalTimeout = options.totalTimeout ?? TOTAL_TIMEOUT;
    this.#observe = options.observe;
    this.#newRequestId = options.requestId ?? randomUUID;
    this.#clock = clock;
    this.#client = httpClient({
      vet: (url) => ({ url: new URL(url), port: target.port, addresses: target.addresses }),
      connectTimeout: CONNECT_TIMEOUT,
      readLimit: ANSWER_LIMIT,
      keepAlive: KEEP_ALIVE,
      clock,
    });
    this.#circuit = new Circuit(clock);
  }

  submit(analysis: Analysis, form: AnalysisForm, signal: AbortSignal): Promise<BankSubmission> {
    const { bank } = analysis;
    const reference = operatorReference(analysis, analysis.id);
    return this.#call<BankSubmission>(
      { analysis, operation: 'submit' },
      signal,
      { method: 'PUT', path: `/submissions/${reference}`, body: { bank, form } },
      (answer) => readSubmitAnswer(this.#answers, answer, { reference, bank }),
      (fault) => ({ kind: 'unknown', fault }),
    );
  }

  query(analysis: Analysis, signal: AbortSignal): Promise<OperatorStatus> {
    const { bank, queryNumber } = analysis;
    const reference = operatorReference(analysis, analysis.id);
    return this.#call<OperatorStatus>(
      { analysis, operation: 'query' },
      signal,
      {
        method: 'GET',
        path: isBanksNumber(queryNumber) ? `/queries/${encodeURIComponent(queryNumber)}` : `/submissions/${reference}`,
      },
      (answer) => readStatusAnswer(this.#answers, answer, { reference, bank, queryNumber }),
      (fault) => ({ kind: fault }),
    );
  }

  async queryBatch(
    analyses: readonly Analysis[],
    signal: AbortSignal,
  ): Promise<readonly OperatorStatus[] | NoUsableAnswer> {
    const [first] = analyses;
    if (!first) return [];
    const { bank } = first;
    const asked = analyses.map((analysis) => ({
      reference: operatorReference(analysis, analysis.id),
      bank: analysis.bank,
      queryNumber: analysis.queryNumber,
    }));
    const references = asked.map(({ reference }) => reference);
    const outcome = await this.#call<BatchAnswer>(
      // One batch serves many partners' calls, so it has an id of its own.
      { analysis: { bank }, operation: 'query_batch' },
      signal,
      { method: 'POST', path: '/situacoes', body: { bank, references }, readLimit: BATCH_ANSWER_LIMIT },
      (answer) => ({ kind: 'answered', statuses: readBatchAnswer(this.#answers, answer, asked) }),
      (fault) => ({ kind: fault }),
    );
    return outcome.kind === 'answered' ? outcome.statuses : outcome.kind;
  }

  openFor(): Seconds | undefined {
    return this.#circuit.openFor();
  }

  close(): void {
    this.#client.close();
  }

  async #call<Outcome extends { readonly kind: OperatorObservation['outcome'] }>(
    { analysis, operation }: OperatorCall,
    signal: AbortSignal,
    request: OperatorRequest,
    read: (answer: OutboundAnswer) => Outcome,
    otherwise: (fault: NoUsableAnswer) => Outcome,
  ): Promise<Outcome> {
    const started = this.#clock();
    const { bank, requestId = this.#newRequestId() } = analysis;
    let outcome: Outcome;
    let fault: OperatorFault | undefined;
    try {
      const answer = await this.#send(request, requestId, signal);
      if (answer.broken) throw answer.broken;
      outcome = read(answer);
    } catch (error) {
      fault = faultOf(error);
      outcome = otherwise(endOf(fault));
    }
    this.#circuit.note({ operation, fault });
    try {
      const milliseconds = this.#clock() - started;
      this.#observe?.({ bank, operation, outcome: outcome.kind, fault, milliseconds, requestId });
    } catch {
      // The outcome matters more than its metric.
    }
    return outcome;
  }

  #send(
    { path, method, body, readLimit }: OperatorRequest,
    requestId: string,
    signal: AbortSignal,
  ): Promise<OutboundAnswer> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return withTimeLimit(this.#totalTimeout, signal, async (stop) => {
      const bearer = await unlessAborted(bearerFrom(this.#token), stop);
      const headers: Record<string, string> = {
        accept: 'application/json',
        authorization: `Bearer ${bearer}`,
        'x-request-id': requestId,
      };
      if (payload) headers['content-type'] = 'application/json';
      return this.#client.send({ url: this.#base + path, method, headers, body: payload, readLimit }, stop);
    });
  }
}

interface OperatorCall {
  readonly analysis: Pick<Analysis, 'bank' | 'requestId'>;
  readonly operation: OperatorObservation['operation'];
}

interface OperatorRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly readLimit?: number;
}

/** An answer that arrived but does not fit is a fault of the analysis. Every other fault is one of the bank. */
function endOf(fault: OperatorFault): NoUsableAnswer {
  return fault === 'status' || fault === 'garbage' || fault === 'too_large' || fault === 'mismatch'
    ? 'unanswerable'
    : 'failed';
}

function faultOf(error: unknown): OperatorFault {
  if (error instanceof NoAnswer) return error.fault;
  const fault = error instanceof OutboundError ? error.fault : 'connection';
  // Without a name, an address or a certificate there is no connection.
  return fault === 'dns' || fault === 'blocked' || fault === 'tls' ? 'connection' : fault;
}

async function bearerFrom(token: () => Promise<string>): Promise<string> {
  try {
    return await token();
  } catch {
    throw new NoAnswer('token');
  }
}

const REFERENCE = /^(sandbox|producao)-(\d{1,16})-(\d{1,16})$/;

/** Undefined if the text is not one of our references. */
function readReference(reference: string): (Tenancy & { readonly id: AnalysisId }) | undefined {
  const [, prefix, unit, analysis] = REFERENCE.exec(reference) ?? [];
  const environment = ENVIRONMENTS.find((name) => name === prefix);
  const [unitNumber, number] = [Number(unit), Number(analysis)];
  if (!environment || !Number.isSafeInteger(unitNumber) || !Number.isSafeInteger(number)) return undefined;
  const tenancy: Tenancy = { environment, unitId: idOf<UnitId>(unitNumber) };
  const id = idOf<AnalysisId>(number);
  // With leading zeros, a text would name another analysis than it seems to.
  if (operatorReference(tenancy, id) !== reference) return undefined;
  return { ...tenancy, id };
}

/** Undefined for an entry that does not fit or has a reference of somebody else. */
export function readOutcomes(entries: readonly unknown[]): (PushedOutcome | undefined)[] {
  const { submission } = answerSchemas();
  return entries.map((entry) => {
    const { data } = submission.safeParse(entry);
    if (!data) return undefined;
    const analysis = readReference(data.reference);
    return analysis && { ...analysis, bank: data.bank, queryNumber: data.queryNumber, rawStatus: data.status };
  });
}

/** The returned function throws if the secret is missing or empty. */
export function operatorToken(secretId: string): () => Promise<string> {
  const token = cachedSecret(
    () => secretId,
    (text) => {
      if (text) return text;
      throw new SafeError("the operator's token is missing: run `npm run manager -- operator set-token`");
    },
  );
  return () => token.get();
}

export class SecretOperatorAccess implements OperatorAccess {
  readonly url: string;
  readonly #tokenSecret: string;

  constructor({ url, tokenSecret }: { readonly url: string; readonly tokenSecret: string }) {
    this.url = url;
    this.#tokenSecret = tokenSecret;
  }

  hasToken(): Promise<boolean> {
    return hasSecret(this.#tokenSecret);
  }

  putToken(token: string): Promise<void> {
    return putSecret(this.#tokenSecret, token);
  }
}
