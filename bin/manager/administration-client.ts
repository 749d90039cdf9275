import { setTimeout as wait } from 'node:timers/promises';
import type { SignatureV4 } from '@smithy/signature-v4';
import type * as z from 'zod/mini';
import { type AdministrationCode, administrationError } from '#shared/administration/failures.ts';
import type { Operation } from '#shared/administration/operation.ts';
import {
  type AdministrationOperation,
  type AnswerOf,
  operationNamed,
  type PreviewOf,
  type SchemaOf,
} from '#shared/administration/operations.ts';
import { CommandError } from './errors.ts';

/** A call before it is signed. */
export interface UnsignedCall {
  readonly route: Operation;
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Where the administration's API is, and how a call there proves who makes it. */
export interface AdministrationAccess {
  /** Base address, with the gateway's stage. */
  readonly url: string;
  /** The headers to send: those of the call, and what proves the caller. */
  sign(call: UnsignedCall): Promise<Readonly<Record<string, string>>>;
}

/** The headers of a call with those of Signature Version 4, valid for some minutes. */
export async function signedHeaders(signer: Pick<SignatureV4, 'sign'>, { method, url, headers, body }: UnsignedCall) {
  const signed = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...headers, host: url.host },
    body,
  });
  const { host: _, ...sent } = signed.headers;
  return sent;
}

/** What a schema of fields takes; one of no fields says nothing. */
type InputOf<Schema> = Schema extends z.ZodMiniType
  ? string extends keyof z.input<Schema>
    ? unknown
    : z.input<Schema>
  : unknown;
/** A path and a query are text: whatever stands for it is written so. */
type TextOf<Schema> = Schema extends z.ZodMiniType
  ? { readonly [Name in keyof z.input<Schema>]: z.input<Schema>[Name] | number | boolean }
  : unknown;

/** All fields of an operation, whether they travel in path, query or body. */
export type FieldsOf<Name extends AdministrationOperation> = object &
  TextOf<SchemaOf<Name, 'params'>> &
  TextOf<SchemaOf<Name, 'query'>> &
  InputOf<SchemaOf<Name, 'body'>>;

/** What a change carries beside its fields. */
export interface ChangeNotes {
  /** Why, for the audit. */
  readonly reason: string;
  /** Whether the person has agreed to what cannot be undone: `confirm` then repeats the name of what it ends. */
  readonly agreed?: boolean;
}

/** What a call carries, by where it travels: a body with its reason and confirm, or dry_run. */
export interface Sent {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

type Refused = z.output<typeof administrationError>;

interface RefusalDetails {
  readonly answer?: Refused | undefined;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** The API has refused a call; the message is its own sentence as the command line writes one. */
export class AdministrationRefusal extends CommandError {
  override readonly name = 'AdministrationRefusal';
  readonly code: AdministrationCode;
  /** The API's answer as it came; undefined where the call was not sent, or its answer was lost. */
  readonly answer: Refused | undefined;
  /** Milliseconds after which the call may be repeated; undefined if the API does not say. */
  readonly retryAfter: number | undefined;

  constructor(code: AdministrationCode, sentence: string, { answer, retryAfter, cause }: RefusalDetails = {}) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.code = code;
    this.answer = answer;
    this.retryAfter = retryAfter;
  }
}

// Milliseconds. The gateway gives a function 29 s.
const DEADLINE = 32_000;
const PAUSE = 500;
const LONGEST_PAUSE = 5000;
const ATTEMPTS = 3;

/** Codes after which the same call may well succeed. */
const TRANSIENT: ReadonlySet<AdministrationCode> = new Set(['too_many_requests', 'unavailable', 'timed_out']);

/** Codes whose cause stands in the service's log alone: the request's id finds it there. */
const UNFORESEEN: ReadonlySet<AdministrationCode> = new Set(['internal_error', 'outcome_unknown']);

/** Calls the administration's API: each question and each answer goes through its operation's schema. */
export class AdministrationClient {
  private readonly access: AdministrationAccess;
  private readonly pause: (milliseconds: number) => Promise<unknown>;

  constructor(access: AdministrationAccess, pause: (milliseconds: number) => Promise<unknown> = wait) {
    this.access = access;
    this.pause = pause;
  }

  /** What an operation answers; `cursor` asks for a later page. Throws an AdministrationRefusal if the API refuses. */
  async ask<Name extends AdministrationOperation>(
    operation: Name,
    fields: FieldsOf<Name>,
    notes?: ChangeNotes,
    cursor?: string,
  ): Promise<AnswerOf<Name>> {
    const route = operationNamed(operation);
    const sent = sentOf(route, fields, notesOf(route, fields, notes), cursor);
    return this.send(operation, sent) as Promise<AnswerOf<Name>>;
  }

  /** What a change would do: `dry_run`. */
  async preview<Name extends AdministrationOperation>(
    operation: Name,
    fields: FieldsOf<Name>,
    cursor?: string,
  ): Promise<PreviewOf<Name>> {
    if (!operationNamed(operation).dryRun) throw new TypeError(`${operation} has no preview`);
    const sent = sentOf(operationNamed(operation), fields, { dry_run: true }, cursor);
    return this.send(operation, sent) as Promise<PreviewOf<Name>>;
  }

  /**
   * The same with fields that are where they travel. A call that changes nothing is made up to three times where the API
   * is busy or its answer was lost; a change once, since it may have happened: it is then refused as `outcome_unknown`.
   */
  async send(operation: AdministrationOperation, sent: Sent): Promise<unknown> {
    const route = operationNamed(operation);
    const { answer, preview, changes } = route;
    const dry = sent.body?.['dry_run'] === true;
    const call = this.unsigned(route, sent);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(call, dry && preview ? preview : answer, changes && !dry);
      } catch (error) {
        if (attempt === ATTEMPTS || !mayRepeat(error, dry || route.method === 'GET')) throw error;
        const asked = error instanceof AdministrationRefusal ? error.retryAfter : undefined;
        await this.pause(Math.min(asked ?? PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE));
      }
    }
  }

  private unsigned(route: Operation, { params = {}, query = {}, body = {} }: Sent): UnsignedCall {
    const { method } = route;
    // A dot segment cannot be encoded: `.` and `..` lead to another route even as %2E (WHATWG URL, 4.1).
    checked(route.params, asTexts(params));
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => escaped(params[name]));
    const url = new URL(this.access.url.replace(/\/$/, '') + path);
    url.search = Object.entries(query)
      .map(([name, value]) => `${name}=${escaped(value)}`)
      .join('&');
    if (method === 'GET') return { route, method, url, headers: {}, body: undefined };
    return { route, method, url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }

  private async once(call: UnsignedCall, answer: z.ZodMiniType, change: boolean): Promise<unknown> {
    const headers = await this.access.sign(call);
    const lost = (error: unknown) => (change ? outcomeUnknown(error) : error);
    const { status, text, retryAfter } = await fetched(call, headers).catch((error: unknown) => {
      throw reachedNobody(error) ? error : lost(error);
    });
    const body = parsed(text);
    if (status === 200) {
      const read = answer.safeParse(body);
      if (read.success) return read.data;
      throw lost(new CommandError('the API answers what this version does not read: take the newest one (git pull)'));
    }
    const read = administrationError.safeParse(body);
    if (!read.success) throw lost(new CommandError(`the API answers ${status} without a word: is this its address?`));
    throw refusalOf(read.data, retryAfter);
  }
}

function refusalOf(answer: Refused, retryAfter: number | undefined): AdministrationRefusal {
  const { code, error, fields = [], request_id } = answer;
  const faults = fields.map(({ field, reason }) => `${field} ${reason}`).join('; ');
  const told = UNFORESEEN.has(code) ? ` (request_id ${request_id})` : '';
  return new AdministrationRefusal(code, `${sentence(faults === '' ? error : faults)}${told}`, { answer, retryAfter });
}

/** What failed before a connection was made, by the code of the system or of Node. */
const UNCONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function reachedNobody(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && UNCONNECTED.has(at.code)) return true;
  }
  return false;
}

/** Of a change that was sent no answer that can be read has come. */
function outcomeUnknown(error: unknown): AdministrationRefusal {
  const why = error instanceof CommandError ? error.message : 'its answer was lost';
  const sentence = `it is not known whether the change was made, look before you repeat it: ${why}`;
  return new AdministrationRefusal('outcome_unknown', sentence, { cause: error });
}

/** Fields where their operation takes them; its body is held against its schema, so that what cannot be right is not sent. */
function sentOf(route: Operation, fields: object, notes: object, cursor?: string): Sent {
  const paged = cursor === undefined ? fields : { ...fields, cursor };
  const said = Object.entries(paged).filter(([, value]) => value !== undefined);
  const inPath = (name: string) => route.path.includes(`{${name}}`);
  const params = Object.fromEntries(said.filter(([name]) => inPath(name)));
  const own = Object.fromEntries(said.filter(([name]) => !inPath(name)));
  if (route.method === 'GET') return { params, query: own };
  checked(route.body, own);
  return { params, body: { ...own, ...notes } };
}

/** Only a call that changes nothing is repeated where its answer was lost; a throttled one has reached nobody. */
function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (!(error instanceof AdministrationRefusal)) return repeatable && error instanceof TypeError;
  return error.code === 'too_many_requests' || (repeatable && TRANSIENT.has(error.code));
}

async function fetched(call: UnsignedCall, headers: Readonly<Record<string, string>>) {
  const signal = AbortSignal.timeout(DEADLINE);
  const request: RequestInit = { method: call.method, headers, redirect: 'error', signal };
  if (call.body !== undefined) request.body = call.body;
  const response = await fetch(call.url, request);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    status: response.status,
    text: await response.text(),
    retryAfter: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  };
}

/** Reason, and the name that `confirm` must repeat, where the operation wants them. */
function notesOf(route: Operation, fields: object, notes: ChangeNotes | undefined): object {
  if (!route.audited) return {};
  if (!notes) throw new TypeError(`${route.operation} is a change: it takes a reason`);
  const { confirm } = route;
  const named = new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
  const ended = confirm?.fields.find((name) => named.has(name));
  const word = ended === undefined ? confirm?.otherwise : String(named.get(ended));
  return { reason: notes.reason, confirm: notes.agreed ? word : undefined };
}

/** As Signature Version 4 writes it (RFC 3986): what is signed and what is sent must be the same text. */
const escaped = (value: unknown) =>
  encodeURIComponent(String(value)).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Fields as a path carries them; a field without a value is left out. */
function asTexts(fields: Readonly<Record<string, unknown>>): object {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Throws an AdministrationRefusal that names the fields which do not fit the schema. */
function checked(schema: z.ZodMiniObject | undefined, fields: object): void {
  const read = schema?.safeParse(fields);
  if (!read || read.success) return;
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new AdministrationRefusal('field_invalid', faults.join('; '));
}

/** The value of a JSON text; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A sentence of the API as the command line writes one: no capital, no full stop. */
function sentence(text: string): string {
  const begun = /^[A-Z][a-z]* /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  return begun.replace(/\.$/, '');
}
