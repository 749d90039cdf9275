import { createHmac, randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { forcedOutcome, forcedStatus } from '../../shared/banks/sandbox-desk.ts';
import { BANKS, type Bank } from '../../shared/domain/bank.ts';
import type { Clock } from '../../shared/domain/clock.ts';

export const DESK_FAULTS = [
  /** Answers late, by `delayMs`; a submission is accepted before the wait. */
  'slow',
  /** 500, nothing accepted. */
  'error_500',
  /** 500 after a submission was accepted. */
  'error_500_after',
  /** Accepts, then closes the connection without an answer. */
  'lost_answer',
  /** Closes the connection before anything is accepted. */
  'lost_before',
  /** Resets the connection (TCP RST) before anything is accepted. */
  'reset',
  /** Accepts, then answers 200 with a body that is no JSON. */
  'garbage',
  /** Accepts, then answers a well-formed body of 1 MB. */
  'huge_body',
  /** Accepts, then answers for another reference. */
  'wrong_reference',
  /** Accepts, then answers for another bank. */
  'wrong_bank',
  /** Accepts, then answers with a status text that no rule knows. */
  'unknown_status',
  /** 422 for a hand-over, nothing accepted; a reference accepted before, and a query, are answered as they stand. */
  'refused',
  /** 401, nothing accepted. */
  'unauthorized',
  /** Accepts, starts an answer and never ends it. */
  'stalled',
] as const;
export type DeskFaultKind = (typeof DESK_FAULTS)[number];

/** Which calls fail, and how. */
export interface DeskFaultOrder {
  readonly kind: DeskFaultKind;
  /** Only calls about this bank. @default every bank */
  readonly bank?: Bank | undefined;
  /** Only hand-overs, or only queries. @default both */
  readonly operation?: 'submit' | 'query' | undefined;
  /** How many calls; then the order is spent. @default always */
  readonly times?: number | undefined;
  /** Which share of the matching calls, 0 to 1, by the seeded generator. @default 1 */
  readonly rate?: number | undefined;
  /** Milliseconds, for `slow`. @default 1,000 */
  readonly delayMs?: number | undefined;
}

export interface LocalDeskOptions {
  /** @default 0: a free one */
  readonly port?: number;
  /** The bearer token that calls must carry; the control endpoints too. */
  readonly token: string;
  readonly clock?: Clock;
  /** Milliseconds from a submission to its outcome. @default 10,000 */
  readonly delayMs?: number;
  /** Milliseconds that every answer of the desk takes. @default 0 */
  readonly answerMs?: number;
  /** Keeps what was accepted across restarts, one JSON line each, without personal data. @default in memory only */
  readonly dbFile?: string;
  /** Of the generator behind `rate`. @default 1 */
  readonly seed?: number;
  /**
   * False makes a desk that breaks its promise and makes a second query for a repeated reference: with it a test shows
   * that the service itself never submits twice. @default true
   */
  readonly idempotent?: boolean;
  /** Told of each call: the X-Request-Id that it came with. */
  readonly called?: (requestId: string) => void;
}

/** What the desk has seen of a reference. */
export interface DeskReferenceCounts {
  readonly bank: Bank;
  /** Hand-overs that reached the desk since its start, repeats and failed ones included. */
  readonly received: number;
  /** Credit queries made on the person: more than 1 is the harm that must never happen. */
  readonly accepted: number;
}

export interface DeskState {
  readonly references: Readonly<Record<string, DeskReferenceCounts>>;
  /** Sums over all references. */
  readonly received: number;
  readonly accepted: number;
  /** Calls answered or failed since the start, by operation. */
  readonly calls: { readonly submit: number; readonly query: number };
  /** Connections opened since the start. */
  readonly connections: number;
}

export interface LocalDeskControl {
  /** Adds an order; the first that matches a call decides. */
  fault(order: DeskFaultOrder): void;
  /** Drops all orders. */
  clear(): void;
  state(): DeskState;
  /** Queries made on a person at a bank since the start, whatever the references. */
  queriesOn(cpf: string, bank: Bank): number;
  /** Sets the text of a submission from now on. False where the reference is unknown. */
  decide(reference: string, status: string): boolean;
}

export interface LocalDesk {
  /** Base URL, `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly control: LocalDeskControl;
  /** Ends all connections and the server. */
  close(): Promise<void>;
}

/** A line of the file: an acceptance, or a text set by hand (`decided`). */
interface Accepted {
  readonly reference: string;
  readonly bank: Bank;
  readonly queryNumber: string;
  /** Slug of shared/banks/sandbox-desk.ts: what the CPF forces. */
  readonly outcome: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly decided?: string | undefined;
}

const BODY_LIMIT = 64 * 1024;

/**
 * The operator's desk on this machine: a real HTTP server on 127.0.0.1 that honours shared/banks/desk.openapi.yaml.
 * Outcomes follow the test CPFs of contract.md (Sandbox) for production keys too; any other CPF is approved after
 * `delayMs`, 900.000.007-60 after thirty times that, 900.000.008-41 is refused at hand-over.
 *
 * Beside the contract it has control endpoints, under the same token: `POST /control/faults` takes a DeskFaultOrder,
 * `DELETE /control/faults` drops all orders, `GET /control/state` gives a DeskState, `PUT /control/status/{reference}`
 * with `{status}` sets a submission's text.
 */
export async function startDesk(options: LocalDeskOptions): Promise<LocalDesk> {
  const { token, clock = Date.now, delayMs = 10_000, answerMs = 0, dbFile, idempotent = true } = options;
  const ledger = openLedger(dbFile);
  const random = generator(options.seed ?? 1);
  const people = new Map<string, number>();
  const peopleKey = randomBytes(32);
  const waits = new Set<NodeJS.Timeout>();
  const calls = { submit: 0, query: 0 };
  let connections = 0;
  let orders: { order: DeskFaultOrder; left: number }[] = [];

  const personAt = (cpf: string, bank: Bank) =>
    `${bank} ${createHmac('sha256', peopleKey).update(cpf.replace(/\D/g, '')).digest('base64')}`;

  function takeFault(
    bank: Bank | undefined,
    operation: 'submit' | 'query',
    repeated = false,
  ): DeskFaultOrder | undefined {
    const found = orders.find(
      ({ order }) =>
        (order.bank === undefined || order.bank === bank) &&
        (order.operation ?? operation) === operation &&
        !(order.kind === 'refused' && (repeated || operation === 'query')) &&
        (order.rate === undefined || random() < order.rate),
    );
    if (!found) return undefined;
    found.left -= 1;
    orders = orders.filter(({ left }) => left > 0);
    return found.order;
  }

  const control: LocalDeskControl = {
    fault(order) {
      orders.push({ order, left: order.times ?? Number.POSITIVE_INFINITY });
    },
    clear() {
      orders = [];
    },
    state() {
      const references = ledger.counts();
      const sum = (of: 'received' | 'accepted') =>
        Object.values(references).reduce((all, counts) => all + counts[of], 0);
      return { references, received: sum('received'), accepted: sum('accepted'), calls: { ...calls }, connections };
    },
    queriesOn: (cpf, bank) => people.get(personAt(cpf, bank)) ?? 0,
    decide(reference, status) {
      const found = ledger.byReference(reference);
      if (found) ledger.decide({ ...found, decided: status });
      return found !== undefined;
    },
  };

  const submissionOf = (found: Accepted): Submission => ({
    reference: found.reference,
    bank: found.bank,
    queryNumber: found.queryNumber,
    status: found.decided ?? forcedStatus(found.outcome, clock() - found.at, delayMs),
  });

  /** Looks, decides and books without a pause in between, so parallel calls with one reference make one query. */
  function submit(reference: string, text: string): Reply {
    const body = newSubmission(text);
    if (!body) return refusal(reference, 400, 'form_invalid');
    ledger.receive(reference, body.bank);
    calls.submit += 1;
    const known = ledger.byReference(reference);
    const fault = takeFault(body.bank, 'submit', known !== undefined);
    if (fault && BEFORE[fault.kind]) return failing(fault, refusal(reference, 422, 'refused'));

    if (known && known.bank !== body.bank) return problem(409, 'reference_taken');
    if (known && idempotent) return failing(fault, { status: 200, body: submissionOf(known) });
    const cpf = String(body.form['cpf'] ?? '');
    const outcome = forcedOutcome(cpf);
    if (outcome === 'entrega_falha') return failing(fault, refusal(reference, 422, 'refused'));
    const accepted = { reference, bank: body.bank, queryNumber: ledger.nextNumber(body.bank), outcome, at: clock() };
    ledger.accept(accepted);
    const person = personAt(cpf, body.bank);
    people.set(person, (people.get(person) ?? 0) + 1);
    return failing(fault, { status: 201, body: submissionOf(accepted) });
  }

  function query(found: Accepted | undefined, bank: Bank | undefined, absent: Reply): Reply {
    calls.query += 1;
    return failing(takeFault(bank, 'query'), found ? { status: 200, body: submissionOf(found) } : absent);
  }

  function answer(method: string, path: readonly string[], text: string): Reply {
    const [room = '', name = '', more] = path;
    const route = `${method} ${room}`;
    if (more === undefined && name !== '') {
      if (route === 'PUT submissions') return REFERENCE.test(name) ? submit(name, text) : problem(404, 'not_found');
      if (route === 'GET submissions')
        return query(ledger.byReference(name), ledger.bankOf(name), {
          status: 404,
          body: { reference: name, code: 'never_received', message: 'No such submission.' },
        });
      if (route === 'GET queries')
        return query(ledger.byNumber(name), ledger.byNumber(name)?.bank, problem(404, 'unknown_number'));
    }
    if (route === 'GET control' && name === 'state') return { status: 200, body: control.state() };
    if (route === 'POST control' && name === 'faults') {
      const order = faultOrder(text);
      if (!order) return problem(400, 'order_invalid');
      control.fault(order);
      return { status: 200, body: { ok: true } };
    }
    if (route === 'DELETE control' && name === 'faults') {
      control.clear();
      return { status: 200, body: { ok: true } };
    }
    if (route === 'PUT control' && name === 'status' && more !== undefined) {
      const status = statusText(text);
      if (status === undefined) return problem(400, 'status_invalid');
      return control.decide(more, status) ? { status: 200, body: { ok: true } } : problem(404, 'not_found');
    }
    return problem(404, 'not_found');
  }

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const path = (request.url ?? '/').split('?')[0]!.slice(1).split('/').map(decoded);
    const echo = { 'x-request-id': String(request.headers['x-request-id'] ?? 'none') };
    const reply =
      request.headers.authorization !== `Bearer ${token}`
        ? problem(401, 'unauthorized')
        : text === undefined
          ? problem(413, 'body_too_large')
          : answer(request.method ?? 'GET', path, text);
    const controlled = path[0] === 'control';
    if (!controlled) options.called?.(echo['x-request-id']);
    await pause((reply.wait ?? 0) + (controlled ? 0 : answerMs), waits);
    write(response, reply, echo);
  }

  const server = http.createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    control,
    close() {
      for (const wait of waits) clearTimeout(wait);
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const REFERENCE = /^(sandbox|producao)-[0-9]{1,16}-[0-9]{1,16}$/;

interface Submission {
  readonly reference: string;
  readonly bank: Bank;
  readonly queryNumber: string;
  readonly status: string;
}

/** What goes back, or how the connection ends instead. */
interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** Milliseconds before anything goes back. */
  readonly wait?: number;
  readonly instead?: 'close' | 'reset' | 'garbage' | 'stall';
}

/** Faults that strike before a submission is looked at. */
const BEFORE: Readonly<Record<DeskFaultKind, boolean>> = {
  slow: false,
  error_500: true,
  error_500_after: false,
  lost_answer: false,
  lost_before: true,
  reset: true,
  garbage: false,
  huge_body: false,
  wrong_reference: false,
  wrong_bank: false,
  unknown_status: false,
  refused: true,
  unauthorized: true,
  stalled: false,
};

function problem(status: number, code: string): Reply {
  return { status, body: { code, message: 'The stand-in of the operator’s desk cannot do this.' } };
}

function refusal(reference: string, status: 400 | 422, code: string): Reply {
  return { status, body: { reference, code, message: 'Refused.', status: forcedStatus('entrega_falha', 0) } };
}

/** The reply as the ordered fault leaves it. */
function failing(fault: DeskFaultOrder | undefined, reply: Reply): Reply {
  const body = reply.body as Partial<Submission>;
  const kind = fault?.kind;
  switch (kind) {
    case undefined:
    case 'refused':
      return reply;
    case 'slow':
      return { ...reply, wait: fault?.delayMs ?? 1_000 };
    case 'error_500':
    case 'error_500_after':
      return problem(500, 'internal_error');
    case 'unauthorized':
      return problem(401, 'unauthorized');
    case 'lost_answer':
    case 'lost_before':
      return { ...reply, instead: 'close' };
    case 'reset':
      return { ...reply, instead: 'reset' };
    case 'garbage':
      return { ...reply, instead: 'garbage' };
    case 'stalled':
      return { ...reply, instead: 'stall' };
    case 'huge_body':
      return { ...reply, body: { ...body, filler: 'x'.repeat(1024 * 1024) } };
    case 'wrong_reference':
      return { ...reply, body: { ...body, reference: 'producao-0-0' } };
    case 'wrong_bank':
      return { ...reply, body: { ...body, bank: BANKS.find((bank) => bank !== body.bank) } };
    case 'unknown_status':
      return { ...reply, body: { ...body, status: 'Situação 17-B' } };
  }
}

function write(response: http.ServerResponse, reply: Reply, headers: Record<string, string>): void {
  const socket = response.socket;
  if (reply.instead === 'close') return void socket?.destroy();
  if (reply.instead === 'reset') return void socket?.resetAndDestroy();
  const payload = Buffer.from(reply.instead === 'garbage' ? '<html>200 OK</html>' : JSON.stringify(reply.body));
  response.writeHead(reply.status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': payload.length,
  });
  if (reply.instead === 'stall') response.write(payload.subarray(0, 10));
  else response.end(payload);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The body as text; undefined above the contract's limit. */
async function bodyOf(request: http.IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_LIMIT) chunks.push(chunk);
  }
  return size > BODY_LIMIT ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** Waits; given up when the desk closes, whose connections are gone by then. */
async function pause(milliseconds: number, waits: Set<NodeJS.Timeout>): Promise<void> {
  if (milliseconds <= 0) return;
  await new Promise<void>((resolve) => {
    const wait = setTimeout(() => {
      waits.delete(wait);
      resolve();
    }, milliseconds);
    waits.add(wait);
  });
}

function parsedBody<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function newSubmission(text: string) {
  return parsedBody(
    z.object({
      bank: z.enum(BANKS),
      form: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    }),
    text,
  );
}

function faultOrder(text: string): DeskFaultOrder | undefined {
  return parsedBody(
    z.object({
      kind: z.enum(DESK_FAULTS),
      bank: z.enum(BANKS).optional(),
      operation: z.enum(['submit', 'query']).optional(),
      times: z.number().int().positive().optional(),
      rate: z.number().min(0).max(1).optional(),
      delayMs: z.number().min(0).max(600_000).optional(),
    }),
    text,
  );
}

function statusText(text: string): string | undefined {
  return parsedBody(z.object({ status: z.string().max(200) }), text)?.status;
}

interface Ledger {
  byReference(reference: string): Accepted | undefined;
  byNumber(queryNumber: string): Accepted | undefined;
  /** Known from the first hand-over that reached the desk, accepted or not. */
  bankOf(reference: string): Bank | undefined;
  nextNumber(bank: Bank): string;
  receive(reference: string, bank: Bank): void;
  accept(accepted: Accepted): void;
  decide(decided: Accepted): void;
  counts(): Record<string, DeskReferenceCounts>;
}

/**
 * What was accepted, in memory and, given a file, there first: a line is in the kernel's hands before the answer
 * leaves, so killing the process loses nothing. A line torn by a kill is left out, and ended so that the next is whole.
 */
function openLedger(file: string | undefined): Ledger {
  const byReference = new Map<string, Accepted>();
  const byNumber = new Map<string, Accepted>();
  const counts = new Map<string, { bank: Bank; received: number; accepted: number }>();
  let numbers = 0;

  function countsOf(reference: string, bank: Bank) {
    const known = counts.get(reference) ?? { bank, received: 0, accepted: 0 };
    counts.set(reference, known);
    return known;
  }

  function remember(line: Accepted): void {
    byReference.set(line.reference, line);
    byNumber.set(line.queryNumber, line);
  }

  function addAccepted(line: Accepted): void {
    remember(line);
    numbers += 1;
    countsOf(line.reference, line.bank).accepted += 1;
  }

  function append(line: Accepted): void {
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  const text = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (file !== undefined && text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
  for (const written of text.split('\n')) {
    const line = acceptedLine(written);
    if (line === undefined) continue;
    if (line.decided === undefined) addAccepted(line);
    else remember(line);
  }

  return {
    byReference: (reference) => byReference.get(reference),
    byNumber: (queryNumber) => byNumber.get(queryNumber),
    bankOf: (reference) => counts.get(reference)?.bank,
    nextNumber: (bank) => `${bank.slice(0, 2).toUpperCase()}-${numbers + 1}`,
    receive(reference, bank) {
      countsOf(reference, bank).received += 1;
    },
    accept(line) {
      append(line);
      addAccepted(line);
    },
    decide(line) {
      append(line);
      remember(line);
    },
    counts: () => Object.fromEntries([...counts].map(([reference, of]) => [reference, { ...of }])),
  };
}

function acceptedLine(text: string): Accepted | undefined {
  return parsedBody(
    z.object({
      reference: z.string(),
      bank: z.enum(BANKS),
      queryNumber: z.string(),
      outcome: z.string(),
      at: z.number(),
      decided: z.string().optional(),
    }),
    text,
  );
}

/** Numbers in [0, 1) that repeat with the seed: mulberry32. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
