import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { forcedOutcome, forcedStatus } from '#shared/operator/sandbox-operator.ts';
import { readBody, serve } from '../listen.ts';
import {
  FaultOrders,
  failing,
  failingBatch,
  faultOrderFormat,
  type OperatorFaultOrder,
  type OperatorReply,
  type OperatorSubmission,
  problem,
  refusal,
  strikesBefore,
} from './faults.ts';
import { type Accepted, Ledger, type OperatorReferenceCounts, parsedBy } from './ledger.ts';

export interface StandInOptions {
  readonly port?: number;
  /** Bearer token that calls must have, including those to the control endpoints. */
  readonly token: string;
  readonly clock?: Clock;
  /** Time from a submission to its outcome. @default 10 seconds */
  readonly delayMs?: Milliseconds;
  /** Time that every answer of the operator takes. @default 0 */
  readonly answerMs?: Milliseconds;
  /** Keeps accepted submissions across restarts, without personal data. @default in memory only */
  readonly dbFile?: string;
  /**
   * If false, a repeated reference makes a second credit query: tests then show that the service submits once. @default
   * true
   */
  readonly idempotent?: boolean;
  /** Whether the operator answers `POST /situacoes`. @default true */
  readonly batches?: boolean;
  readonly called?: (requestId: string) => void;
}

export interface OperatorState {
  readonly references: Readonly<Record<string, OperatorReferenceCounts>>;
  readonly received: number;
  readonly accepted: number;
  readonly calls: { readonly submit: number; readonly query: number; readonly batch: number };
}

const BODY_LIMIT = 64 * 1024;
const REFERENCE = /^(sandbox|producao)-[0-9]{1,16}-[0-9]{1,16}$/;
const NOT_FOUND = problem(404, 'not_found');
const DONE: OperatorReply = { status: 200, body: { ok: true } };

type Reply = OperatorReply | Promise<OperatorReply>;
type Route = readonly [method: string, path: RegExp, reply: (parameter: string, text: string) => Reply];

/**
 * The operator on this machine (shared/operator/operator.openapi.yaml). The sandbox's test CPFs decide the outcomes
 * (shared/contract/README.md#sandbox, rule 2), for production keys, too. Any other CPF is approved after `delayMs`.
 * Control endpoints, with the same token:
 * - `POST /control/faults` takes an OperatorFaultOrder.
 * - `GET /control/state` returns an OperatorState.
 * - `PUT /control/status/{reference}` with `{status}` sets the text of a submission.
 * - `POST /control/push` with `{references}` sends the current state of submissions to the service.
 */
export async function startOperator(options: StandInOptions) {
  const { token, clock = Date.now, delayMs = seconds(10), answerMs = 0, idempotent = true, batches = true } = options;
  const ledger = new Ledger(options.dbFile);
  const orders = new FaultOrders();
  const people = new Map<string, number>();
  const peopleKey = randomBytes(32);
  const waits = new Set<NodeJS.Timeout>();
  const calls = { submit: 0, query: 0, batch: 0 };
  let target: PushTarget | undefined;

  const personAt = (cpf: string, bank: Bank) =>
    `${bank} ${createHmac('sha256', peopleKey).update(cpf.replace(/\D/g, '')).digest('base64')}`;

  const control = {
    fault: (order: OperatorFaultOrder) => orders.add(order),
    clear: () => orders.clear(),
    state(): OperatorState {
      const references = ledger.counts();
      const sum = (of: 'received' | 'accepted') =>
        Object.values(references).reduce((all, counts) => all + counts[of], 0);
      return { references, received: sum('received'), accepted: sum('accepted'), calls: { ...calls } };
    },
    /** Counts queries on the person since the start, whatever the references. */
    queriesOn: (cpf: string, bank: Bank) => people.get(personAt(cpf, bank)) ?? 0,
    decide(reference: string, status: string) {
      const found = ledger.byReference(reference);
      if (found) ledger.write({ ...found, decided: status });
      return found !== undefined;
    },
    /** Called later, because the service starts after its operator. */
    pushTo(to: PushTarget) {
      target = to;
    },
    /** Leaves out unknown references. Rejects before `pushTo` was called. */
    async push(references: readonly string[]) {
      if (!target) throw new TypeError('the target of pushes is not set');
      return push(target, references.flatMap((reference) => ledger.byReference(reference) ?? []).map(submissionOf));
    },
  };

  const routes: readonly Route[] = [
    ['PUT', /^\/submissions\/([^/]+)$/, submit],
    ['GET', /^\/submissions\/([^/]+)$/, querySubmission],
    ['GET', /^\/queries\/([^/]+)$/, queryNumber],
    ['POST', /^\/situacoes$/, queryBatch],
    ['GET', /^\/control\/state$/, () => ({ status: 200, body: control.state() })],
    ['POST', /^\/control\/faults$/, orderFault],
    ['PUT', /^\/control\/status\/([^/]+)$/, setStatus],
    ['POST', /^\/control\/push$/, pushNow],
  ];

  async function answer(method: string, path: string, text: string): Promise<OperatorReply> {
    for (const [verb, pattern, reply] of routes) {
      const match = verb === method && pattern.exec(path);
      if (match) return reply(decodePart(match[1] ?? ''), text);
    }
    return NOT_FOUND;
  }

  const submissionOf = ({ decided, outcome, at, ...submission }: Accepted): OperatorSubmission => ({
    ...submission,
    status: decided ?? forcedStatus(outcome, clock() - at, delayMs),
  });

  /** Does not wait, so that parallel calls with one reference make one credit query. */
  function submit(reference: string, text: string): OperatorReply {
    if (!REFERENCE.test(reference)) return NOT_FOUND;
    const body = parsedBy(submissionFormat, text);
    if (!body) return refusal(reference, 400, 'form_invalid');
    const { bank } = body;
    ledger.receive(reference, bank);
    calls.submit += 1;
    const known = ledger.byReference(reference);
    const fault = orders.take(bank, 'submit', known !== undefined);
    if (strikesBefore(fault)) return failing(fault, refusal(reference, 422, 'refused'));

    if (known && known.bank !== bank) return problem(409, 'reference_taken');
    if (known && idempotent) return failing(fault, { status: 200, body: submissionOf(known) });
    const cpf = String(body.form['cpf'] ?? '');
    const outcome = forcedOutcome(cpf);
    if (outcome === 'entrega_falha') return failing(fault, refusal(reference, 422, 'refused'));
    if (outcome === 'nao_enviada') return failing(fault, problem(409, 'not_accepted'));
    const accepted = { reference, bank, queryNumber: ledger.nextNumber(bank), outcome, at: clock() };
    ledger.write(accepted);
    const person = personAt(cpf, bank);
    people.set(person, (people.get(person) ?? 0) + 1);
    return failing(fault, { status: 201, body: submissionOf(accepted) });
  }

  function querySubmission(reference: string): OperatorReply {
    const body = { reference, code: 'never_received', message: 'No such submission.' };
    return query(ledger.byReference(reference), ledger.bankOf(reference), { status: 404, body });
  }

  function queryNumber(number: string): OperatorReply {
    const found = ledger.byNumber(number);
    return query(found, found?.bank, problem(404, 'unknown_number'));
  }

  function queryBatch(_: string, text: string): OperatorReply {
    if (!batches) return NOT_FOUND;
    const request = parsedBy(batchFormat, text);
    if (!request) return problem(400, 'body_invalid');
    calls.batch += 1;
    const found = request.references.flatMap((reference) => ledger.byReference(reference) ?? []);
    const submissions = found.filter(({ bank }) => bank === request.bank).map(submissionOf);
    return failingBatch(orders.take(request.bank, 'batch'), submissions);
  }

  function query(found: Accepted | undefined, bank: Bank | undefined, absent: OperatorReply): OperatorReply {
    calls.query += 1;
    return failing(orders.take(bank, 'query'), found ? { status: 200, body: submissionOf(found) } : absent);
  }

  function orderFault(_: string, text: string): OperatorReply {
    const order = parsedBy(faultOrderFormat, text);
    if (!order) return problem(400, 'order_invalid');
    control.fault(order);
    return DONE;
  }

  function setStatus(reference: string, text: string): OperatorReply {
    const body = parsedBy(statusFormat, text);
    if (!body) return problem(400, 'status_invalid');
    return control.decide(reference, body.status) ? DONE : NOT_FOUND;
  }

  async function pushNow(_: string, text: string): Promise<OperatorReply> {
    const body = parsedBy(pushFormat, text);
    if (!body || !target) return problem(400, 'push_invalid');
    return { status: 200, body: await control.push(body.references) };
  }

  async function answerCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await readBody(request, BODY_LIMIT))?.toString('utf8');
    const path = (request.url ?? '/').replace(/\?.*/s, '');
    const echo = { 'x-request-id': String(request.headers['x-request-id'] ?? 'none') };
    const reply =
      request.headers.authorization !== `Bearer ${token}`
        ? problem(401, 'unauthorized')
        : text === undefined
          ? problem(413, 'body_too_large')
          : await answer(request.method ?? 'GET', path, text);
    const controlled = path.startsWith('/control/');
    if (!controlled) options.called?.(echo['x-request-id']);
    const wait = (reply.wait ?? 0) + (controlled ? 0 : answerMs);
    if (wait > 0) await pause(wait, waits);
    sendReply(response, reply, echo);
  }

  const { url, close } = await serve(
    (request, response) => {
      answerCall(request, response).catch(() => response.destroy());
    },
    { port: options.port ?? 0 },
  );
  return {
    url,
    control,
    close: () => {
      for (const wait of waits) clearTimeout(wait);
      return close();
    },
  };
}
export type StandInOperator = Awaited<ReturnType<typeof startOperator>>;

const submissionFormat = z.object({
  bank: z.enum(BANKS),
  form: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
const batchFormat = z.object({
  bank: z.enum(BANKS),
  references: z.array(z.string().check(z.regex(REFERENCE))).check(z.minLength(1), z.maxLength(100)),
});
const pushFormat = z.pick(batchFormat, { references: true });
const statusFormat = z.object({ status: z.string().check(z.maxLength(200)) });

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export interface PushTarget {
  readonly url: string;
  /** Token in place of a signature with its own AWS credentials. */
  readonly token: string;
}

/** See operator.openapi.yaml, `resultados`. Rejects if nothing answers. */
export async function push({ url, token }: PushTarget, submissions: readonly OperatorSubmission[]) {
  const response = await fetch(`${url}/resultados`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ submissions }),
  });
  const body: unknown = await response.json();
  return { status: response.status, body };
}

function sendReply(response: ServerResponse, reply: OperatorReply, headers: Record<string, string>): void {
  const socket = response.socket;
  if (reply.instead === 'close') return void socket?.destroy();
  if (reply.instead === 'reset') return void socket?.resetAndDestroy();
  const payload = Buffer.from(reply.instead === 'garbage' ? '<html>200 OK</html>' : JSON.stringify(reply.body));
  const length = { 'content-type': 'application/json', 'content-length': payload.length };
  response.writeHead(reply.status, { ...headers, ...length });
  if (reply.instead === 'stall') response.write(payload.subarray(0, 10));
  else response.end(payload);
}

/** Never resolves if the operator is closed meanwhile, because the connection is gone then. */
export function pause(milliseconds: Milliseconds, waits: Set<NodeJS.Timeout>): Promise<void> {
  return new Promise((resolve) => {
    const wait = setTimeout(() => {
      waits.delete(wait);
      resolve();
    }, milliseconds);
    waits.add(wait);
  });
}
