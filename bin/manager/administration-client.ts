import { setTimeout as wait } from 'node:timers/promises';
import type { SignatureV4 } from '@smithy/signature-v4';
import type * as z from 'zod/mini';
import { type AdministrationCode, administrationError } from '#shared/administration/failures.ts';
import type { Duty, Operation } from '#shared/administration/operation.ts';
import {
  ADMINISTRATION_OPERATIONS,
  type AdministrationOperation,
  type AnswerOf,
  operationNamed,
} from '#shared/administration/operations.ts';
import { CommandError } from './errors.ts';

export interface UnsignedCall {
  readonly route: Operation;
  readonly method: string;
  readonly url: URL;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface AdministrationAccess {
  /** Base address, including the gateway's stage. */
  readonly url: string;
  /** Returns the headers of the call, and headers that prove who the caller is. */
  sign(call: UnsignedCall): Promise<Readonly<Record<string, string>>>;
}

/** AWS accepts these headers for some minutes. */
export async function signedHeaders(
  signer: Pick<SignatureV4, 'sign'>,
  { method, url, headers, body }: Pick<UnsignedCall, 'method' | 'url' | 'headers' | 'body'>,
) {
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

export interface ChangeNotes {
  readonly reason?: string;
  /** Whether the person has agreed: `confirm` then repeats the name of the thing that the change ends. */
  readonly agreed?: boolean;
  readonly isDry?: boolean | undefined;
}

/** The body of an audited call includes `reason`, and `confirm` if needed. The body of a preview includes `dry_run`. */
export interface Sent {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

type RefusalBody = z.output<typeof administrationError>;

interface RefusalDetails {
  readonly answer?: RefusalBody | undefined;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown if the API refuses a call, if this client does not send a faulty call, or if the answer to a change was lost.
 */
export class AdministrationRefusal extends CommandError {
  override readonly name = 'AdministrationRefusal';
  readonly code: AdministrationCode;
  /** Undefined if the call was not sent, or its answer was lost. */
  readonly answer: RefusalBody | undefined;
  /** Milliseconds after which the call may be repeated. Undefined if the API does not say. */
  readonly retryAfter: number | undefined;

  constructor(code: AdministrationCode, sentence: string, { answer, retryAfter, cause }: RefusalDetails = {}) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.code = code;
    this.answer = answer;
    this.retryAfter = retryAfter;
  }
}

// Milliseconds. DEADLINE is longer than the 29 s after which the gateway ends a call.
const DEADLINE = 32_000;
const PAUSE = 500;
const LONGEST_PAUSE = 5000;
const ATTEMPTS = 3;

/** Codes after which the same call may succeed. */
const TRANSIENT: ReadonlySet<AdministrationCode> = new Set(['too_many_requests', 'unavailable', 'timed_out']);

/** Codes whose cause is only in the service's log. The request id leads to the cause. */
const UNFORESEEN: ReadonlySet<AdministrationCode> = new Set(['internal_error', 'outcome_unknown']);

/** Checks each call and each answer by the schemas of its operation. */
export class AdministrationClient {
  private readonly access: AdministrationAccess;
  private readonly pause: (milliseconds: number) => Promise<unknown>;

  constructor(access: AdministrationAccess, pause: (milliseconds: number) => Promise<unknown> = wait) {
    this.access = access;
    this.pause = pause;
  }

  /** `cursor` asks for a later page. Throws an AdministrationRefusal if the API refuses. */
  async ask<Name extends AdministrationOperation>(
    operation: Name,
    fields: object,
    notes: ChangeNotes = {},
    cursor?: string,
  ): Promise<AnswerOf<Name>> {
    const route = operationNamed(operation);
    const sent = sentOf(route, fields, notesOf(route, fields, notes), cursor);
    return this.send(operation, sent) as Promise<AnswerOf<Name>>;
  }

  /**
   * Tries up to three times: any call that was throttled, and a GET or a preview if the API was busy or the connection
   * failed. A change that lost its answer may have been made: it fails as `outcome_unknown`.
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
    // A query is checked before it becomes part of an address, since no address may hold an e-mail or a secret.
    checked(route.query, asTexts(query));
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
    const inDoubtIf = (error: unknown) => (change ? outcomeUnknown(error) : error);
    const { status, text, retryAfter } = await fetched(call, headers).catch((error: unknown) => {
      throw failedToConnect(error) ? error : inDoubtIf(error);
    });
    const body = parsed(text);
    if (status === 200) {
      const read = answer.safeParse(body);
      if (read.success) return read.data;
      throw inDoubtIf(
        new CommandError('this version cannot read the answer of the API: take the newest one (git pull)'),
      );
    }
    const read = administrationError.safeParse(body);
    if (!read.success)
      throw inDoubtIf(new CommandError(`the answer ${status} does not come from the API: is this its address?`));
    throw refusalOf(read.data, retryAfter);
  }
}

function refusalOf(answer: RefusalBody, retryAfter: number | undefined): AdministrationRefusal {
  const { code, error, fields = [], request_id } = answer;
  const faults = fields.map(({ field, reason }) => `${field} ${reason}`).join('; ');
  const hint = UNFORESEEN.has(code) ? ` (request_id ${request_id})` : '';
  return new AdministrationRefusal(code, `${sentence(faults === '' ? error : faults)}${hint}`, { answer, retryAfter });
}

/** Codes of the system or of Node for failures before a connection was made. */
const UNCONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function failedToConnect(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && UNCONNECTED.has(at.code)) return true;
  }
  return false;
}

function outcomeUnknown(error: unknown): AdministrationRefusal {
  const why = error instanceof CommandError ? error.message : 'its answer was lost';
  const sentence = `it is not known whether the change was made, look before you repeat it: ${why}`;
  return new AdministrationRefusal('outcome_unknown', sentence, { cause: error });
}

/** Returns the duties that may make a call. An approval is decided by the duties that may call the operation itself. */
export function dutiesFor({ route, url }: Pick<UnsignedCall, 'route' | 'url'>): readonly Duty[] {
  const [, decided] = /\/approvals\/([\w-]+)\//.exec(url.pathname) ?? [];
  const approved = ADMINISTRATION_OPERATIONS.find(({ operation }) => operation === decided);
  return (approved ?? route).duties;
}

/** Throws an AdministrationRefusal if the fields do not fit the body's schema, so that such a body is never sent. */
function sentOf(route: Operation, fields: object, notes: object, cursor?: string): Sent {
  const paged = cursor === undefined ? fields : { ...fields, cursor };
  const given = Object.entries(paged).filter(([, value]) => value !== undefined);
  const inPath = (name: string) => route.path.includes(`{${name}}`);
  const params = Object.fromEntries(given.filter(([name]) => inPath(name)));
  const own = Object.fromEntries(given.filter(([name]) => !inPath(name)));
  if (route.method === 'GET') return { params, query: own };
  checked(route.body, own);
  return { params, body: { ...own, ...notes } };
}

/** A throttled call has reached no function. After another error, only a GET or a preview is repeated. */
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

/**
 * Returns no fields for an operation that the audit does not note. Throws a TypeError if a needed reason is missing, or
 * if the operation has no preview to ask for.
 */
function notesOf(route: Operation, fields: object, { reason, agreed, isDry }: ChangeNotes): object {
  if (!route.audited) return {};
  const isNoted = !isDry || route.notedPreview;
  if (isDry && !route.dryRun) throw new TypeError(`${route.operation} has no preview`);
  if (isNoted && reason === undefined) throw new TypeError(`${route.operation} takes a reason`);
  const { confirm } = route;
  const named = new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
  const ended = confirm?.fields.find((name) => named.has(name));
  const word = ended === undefined ? confirm?.otherwise : String(named.get(ended));
  return {
    reason: isNoted ? reason : undefined,
    confirm: agreed ? word : undefined,
    dry_run: isDry || undefined,
  };
}

/** Escapes as Signature Version 4 does (RFC 3986), because the signed text and the sent text must be the same. */
const escaped = (value: unknown) =>
  encodeURIComponent(String(value)).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

function asTexts(fields: Readonly<Record<string, unknown>>): object {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Throws an AdministrationRefusal that names the wrong fields. */
function checked(schema: z.ZodMiniObject | undefined, fields: object): void {
  const read = schema?.safeParse(fields);
  if (!read || read.success) return;
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new AdministrationRefusal('field_invalid', faults.join('; '));
}

/** Undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The command line's style has no capital and no full stop. */
function sentence(text: string): string {
  const begun = /^[A-Z][a-z]* /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  return begun.replace(/\.$/, '');
}
