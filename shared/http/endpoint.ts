import type * as z from 'zod/mini';
import type { Notice } from '../contract/notices.ts';
import type { Route } from '../contract/routes.ts';
import { unknownFields, unusedBeside } from '../contract/unknown-fields.ts';
import type { Caller } from '../domain/partners/partner.ts';
import type { ApiKeyAuth, RefusedCalls } from '../domain/partners/ports.ts';
import type { Clock } from '../domain/values/clock.ts';
import { Failure } from '../domain/values/failure.ts';
import type { Answer, Unopened } from '../domain/values/idempotency.ts';
import type { EventId } from '../domain/values/ids.ts';
import { isSameTenancy, type Tenancy } from '../domain/values/tenancy.ts';
import { type Cancellable, cancellable } from '../runtime/deadline.ts';
import { addToLog } from '../runtime/log.ts';
import { emit } from '../runtime/metrics.ts';
import { authenticate, authorize } from './authenticate.ts';
import { noteRefusal } from './note-refusal.ts';
import {
  misnamedKey,
  parseBody,
  parseIdempotencyKey,
  parsePathEvent,
  parsePathId,
  parseQuery,
  pathIdIn,
} from './parse.ts';
import { failureReplyOf, type Reply, replyOf } from './reply.ts';
import { type Call, requestIdOf } from './request.ts';
import { type Handler, type Made, stack } from './stack.ts';
import { recordRequest } from './telemetry.ts';

/**
 * A read that starts while the API key is still being checked, with the tenancy that the key had last time
 * (test/bench/README.md, budget 19). The result is used only if the admitted caller has that tenancy; otherwise the row
 * is read again. Nothing is decrypted here.
 */
export class ReadAhead<T> {
  readonly #read: (tenancy: Tenancy) => Promise<T>;
  #begun: { readonly tenancy: Tenancy; readonly reading: Cancellable<T> } | undefined;

  constructor(read: (tenancy: Tenancy) => Promise<T>) {
    this.#read = read;
  }

  readonly begin = (tenancy: Tenancy): void => {
    this.#begun = { tenancy, reading: cancellable(() => this.#read(tenancy)) };
  };

  /** What the admitted caller's read gives. */
  result(caller: Tenancy): Promise<T> {
    const begun = this.#begun;
    return begun && isSameTenancy(begun.tenancy, caller) ? begun.reading.result : this.#read(caller);
  }

  /** Ends a read that is still under way: a container that answers while one runs would be frozen with it. */
  async end(): Promise<void> {
    await this.#begun?.reading.cancel();
  }
}

/** A call that has passed every check that comes before its fields. `Key` is a string where the route demands one. */
export interface Request<Key extends string | undefined = string | undefined> {
  readonly route: Route;
  readonly caller: Caller;
  readonly clock: Clock;
  readonly idempotencyKey: Key;
  /** The header that probably means the key that a route may have and this call has not. */
  readonly misnamedKey?: string | undefined;
  /** The id of the call, as its answer and its log lines have it. */
  readonly requestId: string;
  /** The id in the path; 0 on routes without one, or where it is an event's. */
  readonly id: number;
  /** The event's id in the path; empty on routes without one. */
  readonly eventId: EventId;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What every endpoint needs beside its own ports. */
interface BaseDeps {
  readonly auth: () => ApiKeyAuth;
  readonly refusals: () => RefusedCalls;
  readonly clock: () => Clock;
}

/** An endpoint's own work: the call and its ports in, an answer out. */
export type Work<R extends Route, N> = (request: Request<KeyOf<R>>, deps: Made<N>) => Promise<Reply>;

type KeyOf<R extends Route> = R['idempotency'] extends 'required' ? string : string | undefined;

/** An answer whose body leaves through its schema. Throws where the body is not what the contract says. */
export function answer<S extends z.ZodMiniType>(status: number, schema: S, body: z.input<S>): Answer {
  return { status, body: JSON.stringify(schema.parse(body)) };
}

/** An answer that is a file, which browsers show in place. `name` in ASCII, without quotation marks. */
export function fileAnswer(file: { readonly type: string; readonly name: string }, content: Uint8Array): Reply {
  return { status: 200, body: Buffer.from(content).toString('base64'), file };
}

/** What the checks have learned of a call. */
type Checked<R extends Route> = Omit<Request<KeyOf<R>>, 'route' | 'clock' | 'requestId'>;

/**
 * Every check that comes before a call's fields, in this order: key and rate -> scope -> media type, size, JSON ->
 * Idempotency-Key -> path id and query. Each throws; the first that fails answers.
 */
async function check<R extends Route>(
  call: Call,
  route: R,
  auth: ApiKeyAuth,
  meanwhile?: (lastKnown: Tenancy) => void,
): Promise<Checked<R>> {
  const caller = await authenticate(call, auth, meanwhile);
  authorize(caller, route);
  const body = route.method === 'GET' ? {} : parseBody(call);
  const idempotencyKey = (
    route.idempotency === 'none' ? undefined : parseIdempotencyKey(call, route.idempotency)
  ) as KeyOf<R>;
  const hasId = route.path.includes('{id}');
  const id = hasId && route.pathId === undefined ? parsePathId(call) : 0;
  const eventId = route.pathId === 'event' ? parsePathEvent(call) : ('' as EventId);
  addToLog(subjectsOf(route, id, body));
  const misnamed = route.idempotency === 'optional' ? misnamedKey(call) : undefined;
  return {
    caller,
    body,
    idempotencyKey,
    id,
    eventId,
    query: parseQuery(call),
    ...(misnamed && { misnamedKey: misnamed }),
  };
}

const SUBJECTS: Readonly<Record<string, string>> = { leads: 'lead', simulacoes: 'simulation', analises: 'analysis' };
/** A caller may send anything for an id: what has fewer digits than those drawn since October 2026 may be a CPF or a telephone. */
const SHORTEST_LOGGED = 100_000_000_000_000;

/** Whom a call names by ids of ours, for its line of the log: by it is found what was reached with a key. */
function subjectsOf({ path }: Route, id: number, { lead_id: lead }: Readonly<Record<string, unknown>>) {
  const of = SUBJECTS[path.split('/')[2] ?? ''];
  const named = [...(of ? [[of, id]] : []), ['lead', lead]] as const;
  return Object.fromEntries(named.filter(([, one]) => Number.isSafeInteger(one) && Number(one) >= SHORTEST_LOGGED));
}

/** An authenticated endpoint: its work begins once every check before its fields has passed. */
export function endpoint<R extends Route, D extends BaseDeps>(route: R, makeDeps: D, work: Work<R, D>): Handler {
  return partnerStack(route, makeDeps, async (call, deps) => {
    const checked = await check(call, route, deps.auth as ApiKeyAuth);
    return work(requestOf(call, route, deps, checked), deps);
  });
}

/**
 * A GET of one thing by the id in its path, one round trip deep: for a key that this container knows, `find` reads while
 * the key is still being asked about. What it found is opened, and `reply` made of it, only when every check has passed;
 * where there is nothing the answer is 404.
 */
export function readEndpoint<R extends Route, D extends BaseDeps, T>(
  route: R,
  makeDeps: D,
  find: (deps: Made<D>, tenancy: Tenancy, id: number) => Promise<Unopened<T> | undefined>,
  reply: (found: T, request: Request<KeyOf<R>>) => Reply | Promise<Reply>,
): Handler {
  return partnerStack(route, makeDeps, async (call, deps) => {
    // 0 stands for what is no id: nothing is read for it, and the checks refuse it in their turn.
    const id = pathIdIn(call) ?? 0;
    const reading = new ReadAhead((tenancy) => find(deps, tenancy, id));
    try {
      const checked = await check(call, route, deps.auth as ApiKeyAuth, id > 0 ? reading.begin : undefined);
      const found = await reading.result(checked.caller);
      if (!found) throw new Failure('nao_encontrado');
      return await reply(await found.open(), requestOf(call, route, deps, checked));
    } finally {
      await reading.end();
    }
  });
}

function requestOf<R extends Route, D extends BaseDeps>(
  call: Call,
  route: R,
  deps: Made<D>,
  checked: Checked<R>,
): Request<KeyOf<R>> {
  return { route, clock: deps.clock as Clock, requestId: requestIdOf(call), ...checked };
}

/** An authenticated endpoint's stack: the partners' answers, log and metrics around its checks and work. */
function partnerStack<D extends BaseDeps>(
  route: Route,
  makeDeps: D,
  run: (call: Call, deps: Made<D>) => Promise<Reply>,
): Handler {
  return stack(route.operation, makeDeps, {
    async run(call, deps) {
      const reply = await run(call, deps);
      call.steps.replayed = reply.replayed ?? false;
      return replyOf(call, reply);
    },
    failed: failureReplyOf,
    refused: (call, { refusals, clock }, error, left) =>
      noteRefusal(call, route, error, refusals as RefusedCalls, (clock as Clock)(), left),
    record: (call, status, error) => recordRequest(call, route, status, error),
  });
}

/** What the answer to a call says of the fields of its body that the schema does not know, of its query, and of a misnamed key; counts them. */
export function noticeUnknown(
  { route, body, query, misnamedKey }: Pick<Request, 'route' | 'body' | 'query' | 'misnamedKey'>,
  schema: z.ZodMiniObject,
): readonly Notice[] {
  const unknown = [...unknownFields(schema, body), ...unusedBeside(query, misnamedKey)];
  if (unknown.length > 0) emit({ operation: route.operation }, { UnknownFields: unknown.length });
  return unknown;
}
