import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import * as z from 'zod';
import type { Analysis, AnalysisForm } from '../domain/analyses/analysis.ts';
import type {
  BankSubmission,
  BatchStatus,
  FaultSource,
  OperatorApi,
  OperatorStatus,
} from '../domain/analyses/ports.ts';
import { BANKS, type Bank } from '../domain/values/bank.ts';
import type { Clock } from '../domain/values/clock.ts';
import type { AnalysisId } from '../domain/values/ids.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';

/** Milliseconds that one call may take, token and connection included; below the gateway's 29 s together with the rest. */
const TOTAL_TIMEOUT = 10_000;
/** Milliseconds in which a connection, TLS included, must stand. */
const CONNECT_TIMEOUT = 3_000;
/** Bytes of an answer that are read; the contract's answers are below 2 KB. */
const ANSWER_LIMIT = 64 * 1024;
/** The same for the answer about a batch. */
const BATCH_ANSWER_LIMIT = 1024 * 1024;
/** Connections at once: as many as the poller asks in parallel, ten for each bank. */
const CONNECTIONS = 60;
/**
 * Milliseconds after which idle connections are not used again. A frozen container runs no timers, and a middlebox
 * forgets quiet connections without a word: a submission sent into one of them would be in doubt for nothing.
 */
const IDLE_LIMIT = 15_000;

/** Why a call brought no answer that can be trusted: a closed set, fit for a metric's dimension. */
export type OperatorFault =
  | 'token'
  | 'aborted'
  | 'timeout'
  | 'connection'
  | 'too_large'
  | 'unauthorized'
  /** 5xx or 429. */
  | 'failing'
  /** Any other that the contract does not name. */
  | 'status'
  | 'garbage'
  | 'mismatch';

/** One call to the operator, for metrics and logs. Carries no personal data. */
export interface OperatorObservation {
  readonly bank: Bank;
  readonly operation: 'submit' | 'query' | 'query_batch';
  /** `answered`, `unsupported`: of a batch. */
  readonly outcome: BankSubmission['kind'] | OperatorStatus['kind'] | BatchOutcome['kind'];
  /** Present where the outcome is `unknown`, `unavailable` or `unsupported`. */
  readonly fault: OperatorFault | undefined;
  readonly milliseconds: number;
  /** The X-Request-Id of the call. */
  readonly requestId: string;
}

type BatchOutcome =
  | { readonly kind: 'answered'; readonly statuses: readonly OperatorStatus[] }
  | { readonly kind: 'unavailable' | 'unsupported' };

export interface HttpOperatorOptions {
  /** Base URL: https, or plain http on loopback. A path in it is kept. */
  readonly url: string;
  /** The bearer token, asked for at each call; where it fails nothing is sent. */
  readonly token: () => Promise<string>;
  /** Milliseconds for one call in all. @default 10,000 */
  readonly totalTimeout?: number;
  /** Milliseconds for the connection. @default 3,000 */
  readonly connectTimeout?: number;
  /** Told of each call once it has ended; what it throws is dropped, so that a metric cannot lose a bank submission. */
  readonly observe?: (observation: OperatorObservation) => void;
  /** The id of a call about an analysis that names no call of its partner. @default a random UUID */
  readonly requestId?: () => string;
  /** @default the system's clock */
  readonly clock?: Clock;
}

export interface HttpOperatorApi extends OperatorApi {
  /** Ends all connections. */
  close(): void;
}

/** The reference of an analysis at the operator. Ids are unique within a unit only, so unit and environment are part of it. */
export function operatorReference(tenancy: Tenancy, id: AnalysisId): string {
  return `${tenancy.environment}-${tenancy.unitId}-${id}`;
}

/**
 * The operator over HTTP (contract: operator.openapi.yaml). No retries and no breaker: within a request a second
 * mode would run in outages only; the poller asks again, and has one (domain/analyses/circuit-breaker.ts). Throws a TypeError here, at construction, for
 * a URL that is neither https nor plain http on loopback. Its calls never throw: what cannot be trusted is `unknown`
 * for a bank submission, `unavailable` for a query.
 */
export function httpOperatorApi(options: HttpOperatorOptions): HttpOperatorApi {
  const base = operatorUrl(options.url);
  const { observe, token, clock = Date.now, requestId = randomUUID } = options;
  const totalTimeout = options.totalTimeout ?? TOTAL_TIMEOUT;
  const wire = connect(base, options.connectTimeout ?? CONNECT_TIMEOUT, clock);
  const answers = answerSchemas();

  async function call<Outcome extends { readonly kind: OperatorObservation['outcome'] }>(
    about: {
      readonly analysis: Pick<Analysis, 'bank' | 'requestId'>;
      readonly operation: OperatorObservation['operation'];
    },
    signal: AbortSignal,
    request: OperatorRequest,
    read: (answer: Answer) => Outcome,
    otherwise: (fault: FaultSource) => Outcome,
  ): Promise<Outcome> {
    const started = clock();
    const { bank, requestId: id = requestId() } = about.analysis;
    let outcome: Outcome;
    let fault: OperatorFault | undefined;
    try {
      outcome = await limited(totalTimeout, signal, async (stop) => {
        const bearer = await bearerFrom(token);
        stop.throwIfAborted();
        return read(await wire.send(request, { bearer, id }, stop));
      });
    } catch (error) {
      fault = error instanceof NoAnswer ? error.fault : 'connection';
      outcome = otherwise(faultSource(fault));
    }
    try {
      observe?.({
        bank,
        operation: about.operation,
        outcome: outcome.kind,
        fault,
        milliseconds: clock() - started,
        requestId: id,
      });
    } catch {
      // The outcome counts more than its metric.
    }
    return outcome;
  }

  return {
    submit(analysis: Analysis, form: AnalysisForm, signal: AbortSignal): Promise<BankSubmission> {
      const { bank } = analysis;
      const reference = operatorReference(analysis, analysis.id);
      return call<BankSubmission>(
        { analysis, operation: 'submit' },
        signal,
        { method: 'PUT', path: `/submissions/${reference}`, body: { bank, form } },
        (answer) => {
          if (answer.status === 400 || answer.status === 422) {
            const refusal = parsed(answers.refusal, answer);
            expectSame(refusal.reference, reference);
            return { kind: 'refused', rawStatus: refusal.status, reason: reasonOf(refusal.code) };
          }
          expectStatus(answer, 200, 201);
          const submission = parsed(answers.submission, answer);
          expectSame(submission.reference, reference);
          expectSame(submission.bank, bank);
          return { kind: 'accepted', queryNumber: submission.queryNumber, rawStatus: submission.status };
        },
        (fault) => ({ kind: 'unknown', fault }),
      );
    },

    query(analysis: Analysis, signal: AbortSignal): Promise<OperatorStatus> {
      const { bank, queryNumber } = analysis;
      const reference = operatorReference(analysis, analysis.id);
      const byNumber = queryNumber !== '';
      return call<OperatorStatus>(
        { analysis, operation: 'query' },
        signal,
        { method: 'GET', path: byNumber ? `/queries/${encodeURIComponent(queryNumber)}` : `/submissions/${reference}` },
        (answer) => {
          if (!byNumber && answer.status === 404) {
            expectSame(parsed(answers.neverReceived, answer).reference, reference);
            return { kind: 'absent' };
          }
          expectStatus(answer, 200);
          const submission = parsed(answers.submission, answer);
          expectSame(submission.reference, reference);
          expectSame(submission.bank, bank);
          if (byNumber) expectSame(submission.queryNumber, queryNumber);
          return { kind: 'known', queryNumber: submission.queryNumber, rawStatus: submission.status };
        },
        (fault) => ({ kind: 'unavailable', fault }),
      );
    },

    async queryBatch(analyses: readonly Analysis[], signal: AbortSignal): Promise<BatchStatus> {
      const [{ bank }] = analyses as readonly [Analysis];
      const references = analyses.map((analysis) => operatorReference(analysis, analysis.id));
      const outcome = await call<BatchOutcome>(
        // One call for many partners' calls: its id is its own.
        { analysis: { bank }, operation: 'query_batch' },
        signal,
        { method: 'POST', path: '/situacoes', body: { bank, references }, answerLimit: BATCH_ANSWER_LIMIT },
        (answer) => {
          if (answer.status === 501) throw new NoAnswer('status');
          expectStatus(answer, 200);
          return { kind: 'answered', statuses: statusesOf(analyses, parsed(answers.batch, answer).submissions) };
        },
        (fault) => ({ kind: fault === 'bank' ? 'unavailable' : 'unsupported' }),
      );
      return outcome.kind === 'answered' ? outcome.statuses : outcome.kind;
    },

    close: wire.close,
  };

  /** A status for each analysis to which exactly one of the answers fits. */
  function statusesOf(analyses: readonly Analysis[], told: readonly unknown[]): OperatorStatus[] {
    const byReference = Map.groupBy(
      told.flatMap((one) => answers.submission.safeParse(one).data ?? []),
      ({ reference }) => reference,
    );
    return analyses.map((analysis): OperatorStatus => {
      const fitting = (byReference.get(operatorReference(analysis, analysis.id)) ?? []).filter(
        ({ bank, queryNumber }) => bank === analysis.bank && queryNumber === analysis.queryNumber,
      );
      const [status] = fitting;
      return status && fitting.length === 1
        ? { kind: 'known', queryNumber: status.queryNumber, rawStatus: status.status }
        : { kind: 'unavailable', fault: 'analysis' };
    });
  }
}

interface OperatorRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** Bytes of the answer that are read. @default 64 KB */
  readonly answerLimit?: number;
}

/** A call that brought nothing to be trusted; caught where the call is made. */
class NoAnswer extends Error {
  readonly fault: OperatorFault;

  constructor(fault: OperatorFault) {
    super(fault);
    this.fault = fault;
  }
}

/** An answer that came and does not fit is a fault of the one analysis that was asked about; all else is the bank's. */
function faultSource(fault: OperatorFault): FaultSource {
  return fault === 'status' || fault === 'garbage' || fault === 'too_large' || fault === 'mismatch'
    ? 'analysis'
    : 'bank';
}

async function bearerFrom(token: () => Promise<string>): Promise<string> {
  try {
    return await token();
  } catch {
    throw new NoAnswer('token');
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The contract's answers. Texts are made well-formed, so that what is stored equals what the next poll compares. */
function answerSchemas() {
  const text = (longest: number) =>
    z
      .string()
      .max(longest)
      .transform((value) => value.toWellFormed());
  return {
    submission: z.object({
      reference: z.string(),
      bank: z.enum(BANKS),
      queryNumber: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/),
      status: text(200),
    }),
    refusal: z.object({ reference: z.string(), code: z.string().max(40), status: text(200) }),
    neverReceived: z.object({ reference: z.string(), code: z.literal('never_received') }),
    // What of a batch does not fit is told from the rest.
    batch: z.object({ submissions: z.array(z.unknown()) }),
  };
}

function parsed<T>(schema: z.ZodType<T>, answer: Answer): T {
  try {
    return schema.parse(JSON.parse(answer.text));
  } catch {
    throw new NoAnswer('garbage');
  }
}

function expectStatus(answer: Answer, ...expected: readonly number[]): void {
  if (expected.includes(answer.status)) return;
  if (answer.status === 401 || answer.status === 403) throw new NoAnswer('unauthorized');
  throw new NoAnswer(answer.status >= 500 || answer.status === 429 ? 'failing' : 'status');
}

/** An answer about something else than what was asked is no answer. */
function expectSame(told: string, asked: string): void {
  if (told !== asked) throw new NoAnswer('mismatch');
}

/** The refusal for partners' people. The operator's own message stays out: nobody vouches that it names no person. */
function reasonOf(code: string): string {
  switch (code) {
    case 'bank_not_served':
      return 'O operador não atende este banco no momento; envie uma nova solicitação para outro banco.';
    case 'form_invalid':
      return 'O banco não aceita os dados do formulário; confira-os e envie uma nova solicitação.';
    default:
      return 'O operador recusou o envio desta solicitação ao banco.';
  }
}

/** The base URL without a trailing slash. The token and the form are personal: no plain http but to this machine. */
function operatorUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new TypeError('the operator URL is not a URL');
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback))
    throw new TypeError('the operator URL must be https; plain http is for loopback only');
  if (url.username || url.password || url.search || url.hash)
    throw new TypeError('the operator URL must carry no user, query or fragment');
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** Work under a time limit and the caller's signal; what comes after either is dropped. */
async function limited<T>(
  milliseconds: number,
  signal: AbortSignal,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const abort = () => stop.abort(new NoAnswer('aborted'));
  const timer = setTimeout(() => stop.abort(new NoAnswer('timeout')), milliseconds);
  signal.addEventListener('abort', abort);
  try {
    if (signal.aborted) abort();
    stop.signal.throwIfAborted();
    const stopped = new Promise<never>((_, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
    });
    return await Promise.race([stopped, work(stop.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

interface Wire {
  send(
    request: OperatorRequest,
    names: { readonly bearer: string; readonly id: string },
    stop: AbortSignal,
  ): Promise<Answer>;
  close(): void;
}

/** Kept-alive connections to one operator. */
function connect(base: URL, connectTimeout: number, clock: Clock): Wire {
  const secure = base.protocol === 'https:';
  const transport = secure ? https : http;
  const agent = new transport.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const root = base.href.replace(/\/$/, '');
  let lastUse = clock();

  function dropIdleConnections(): void {
    if (clock() - lastUse > IDLE_LIMIT)
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    lastUse = clock();
  }

  return {
    send({ method, path, body, answerLimit = ANSWER_LIMIT }, { bearer, id }, stop) {
      dropIdleConnections();
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const request = transport.request(`${root}${path}`, {
        method,
        agent,
        signal: stop,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${bearer}`,
          'x-request-id': id,
          ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
        },
      });
      let connecting: NodeJS.Timeout | undefined;
      request.once('socket', (socket) => {
        if (!socket.connecting) return;
        connecting = setTimeout(() => request.destroy(new NoAnswer('timeout')), connectTimeout);
        socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
      });
      request.once('close', () => clearTimeout(connecting));
      request.on('error', reject);
      request.once('response', (response) => {
        readAnswer(response, answerLimit).then((answer) => {
          lastUse = clock();
          resolve(answer);
        }, reject);
      });
      request.end(payload);
      return promise;
    },
    close: () => agent.destroy(),
  };
}

/** The whole answer as text. Leaving the loop early destroys the response and with it the connection. */
async function readAnswer(response: http.IncomingMessage, limit: number): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new NoAnswer('too_large');
    chunks.push(chunk);
  }
  try {
    return {
      status: response.statusCode ?? 0,
      text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)),
    };
  } catch {
    throw new NoAnswer('garbage');
  }
}
