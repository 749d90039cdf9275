import { createHmac, randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { BANKS, type Bank } from '../../../shared/domain/values/bank.ts';
import type { Clock } from '../../../shared/domain/values/clock.ts';
import { forcedOutcome, forcedStatus } from '../../../shared/operator/sandbox-operator.ts';
import {
  failing,
  failingBatch,
  faultOrder,
  faultOrders,
  type OperatorFaultOrder,
  type OperatorReply,
  type OperatorSubmission,
  problem,
  refusal,
  strikesBefore,
} from './faults.ts';
import { type Accepted, type OperatorReferenceCounts, openLedger, parsedJson } from './ledger.ts';

export interface StandInOptions {
  /** @default 0: a free one */
  readonly port?: number;
  /** The bearer token that calls must carry; the control endpoints too. */
  readonly token: string;
  readonly clock?: Clock;
  /** Milliseconds from a submission to its outcome. @default 10,000 */
  readonly delayMs?: number;
  /** Milliseconds that every answer of the operator takes. @default 0 */
  readonly answerMs?: number;
  /** Keeps what was accepted across restarts, one JSON line each, without personal data. @default in memory only */
  readonly dbFile?: string;
  /** Of the generator behind `rate`. @default 1 */
  readonly seed?: number;
  /**
   * False makes a operator that breaks its promise and makes a second query for a repeated reference: with it a test shows
   * that the service itself never submits twice. @default true
   */
  readonly idempotent?: boolean;
  /** Whether `POST /situacoes` is answered. @default true */
  readonly batches?: boolean;
  /** Told of each call: the X-Request-Id that it came with. */
  readonly called?: (requestId: string) => void;
}

export interface OperatorState {
  readonly references: Readonly<Record<string, OperatorReferenceCounts>>;
  /** Sums over all references. */
  readonly received: number;
  readonly accepted: number;
  /** Calls answered or failed since the start, by operation. */
  readonly calls: { readonly submit: number; readonly query: number; readonly batch: number };
  /** Connections opened since the start. */
  readonly connections: number;
}

export interface LocalOperatorControl {
  /** Adds an order; the first that matches a call decides. */
  fault(order: OperatorFaultOrder): void;
  /** Drops all orders. */
  clear(): void;
  state(): OperatorState;
  /** Queries made on a person at a bank since the start, whatever the references. */
  queriesOn(cpf: string, bank: Bank): number;
  /** Sets the text of a submission from now on. False where the reference is unknown. */
  decide(reference: string, status: string): boolean;
}

export interface StandInOperator {
  /** Base URL, `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly control: LocalOperatorControl;
  /** Ends all connections and the server. */
  close(): Promise<void>;
}

const BODY_LIMIT = 64 * 1024;

/**
 * The operator on this machine: a real HTTP server on 127.0.0.1 that honours shared/operator/operator.openapi.yaml.
 * Outcomes follow the test CPFs of contract.md (Sandbox) for production keys too; any other CPF is approved after
 * `delayMs`, 900.000.007-60 after thirty times that, 900.000.008-41 is refused at bank submission.
 *
 * Beside the contract it has control endpoints, under the same token: `POST /control/faults` takes a OperatorFaultOrder,
 * `DELETE /control/faults` drops all orders, `GET /control/state` gives a OperatorState, `PUT /control/status/{reference}`
 * with `{status}` sets a submission's text.
 */
export async function startOperator(options: StandInOptions): Promise<StandInOperator> {
  const {
    token,
    clock = Date.now,
    delayMs = 10_000,
    answerMs = 0,
    dbFile,
    idempotent = true,
    batches = true,
  } = options;
  const ledger = openLedger(dbFile);
  const orders = faultOrders(options.seed ?? 1);
  const people = new Map<string, number>();
  const peopleKey = randomBytes(32);
  const waits = new Set<NodeJS.Timeout>();
  const calls = { submit: 0, query: 0, batch: 0 };
  let connections = 0;

  const personAt = (cpf: string, bank: Bank) =>
    `${bank} ${createHmac('sha256', peopleKey).update(cpf.replace(/\D/g, '')).digest('base64')}`;

  const control: LocalOperatorControl = {
    fault: orders.add,
    clear: orders.clear,
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

  const submissionOf = (found: Accepted): OperatorSubmission => ({
    reference: found.reference,
    bank: found.bank,
    queryNumber: found.queryNumber,
    status: found.decided ?? forcedStatus(found.outcome, clock() - found.at, delayMs),
  });

  /** Looks, decides and books without a pause in between, so parallel calls with one reference make one query. */
  function submit(reference: string, text: string): OperatorReply {
    const body = newSubmission(text);
    if (!body) return refusal(reference, 400, 'form_invalid');
    ledger.receive(reference, body.bank);
    calls.submit += 1;
    const known = ledger.byReference(reference);
    const fault = orders.take(body.bank, 'submit', known !== undefined);
    if (fault && strikesBefore(fault)) return failing(fault, refusal(reference, 422, 'refused'));

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

  function query(found: Accepted | undefined, bank: Bank | undefined, absent: OperatorReply): OperatorReply {
    calls.query += 1;
    return failing(orders.take(bank, 'query'), found ? { status: 200, body: submissionOf(found) } : absent);
  }

  /** What is known of the references, of one bank; the others are left out. */
  function queryBatch(text: string): OperatorReply {
    const asked = batchQuery(text);
    if (!asked) return problem(400, 'body_invalid');
    calls.batch += 1;
    const found = asked.references.flatMap((reference) => ledger.byReference(reference) ?? []);
    const submissions = found.filter(({ bank }) => bank === asked.bank).map(submissionOf);
    return failingBatch(orders.take(asked.bank, 'batch'), submissions);
  }

  function answer(method: string, path: readonly string[], text: string): OperatorReply {
    const [room = '', name = '', more] = path;
    const route = `${method} ${room}`;
    if (route === 'POST situacoes' && name === '' && batches) return queryBatch(text);
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

function write(response: http.ServerResponse, reply: OperatorReply, headers: Record<string, string>): void {
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

/** Waits; given up when the operator closes, whose connections are gone by then. */
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

function newSubmission(text: string) {
  return parsedJson(
    z.object({
      bank: z.enum(BANKS),
      form: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    }),
    text,
  );
}

function batchQuery(text: string) {
  return parsedJson(
    z.object({ bank: z.enum(BANKS), references: z.array(z.string().regex(REFERENCE)).min(1).max(100) }),
    text,
  );
}

function statusText(text: string): string | undefined {
  return parsedJson(z.object({ status: z.string().max(200) }), text)?.status;
}
