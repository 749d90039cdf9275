import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { LARGEST_BODY } from '../domain/values/failure.ts';
import type { Seconds } from '../domain/values/time.ts';

interface FailureText {
  readonly status: number;
  readonly error: string;
  readonly retryAfter?: Seconds;
}

/** The list of codes is closed. */
const FAILURES = {
  invalid_json: { status: 400, error: 'The body is not a valid JSON object in UTF-8.' },
  field_required: { status: 400, error: 'Fields are missing: fill in those listed in fields.' },
  field_invalid: { status: 400, error: 'Fields have an invalid value: correct those listed in fields.' },
  field_unknown: {
    status: 400,
    error: 'This operation does not know some of the fields: leave out those listed in fields.',
  },
  caller_unknown: { status: 403, error: 'AWS does not say who the caller is: sign the request.' },
  forbidden: { status: 403, error: 'None of your duties allows this operation.' },
  not_found: { status: 404, error: 'Nothing was found: check the ids.' },
  route_not_found: { status: 404, error: 'There is no such route: see the document.' },
  method_not_allowed: { status: 405, error: 'The route does not take this method.' },
  changed_meanwhile: { status: 409, error: 'Somebody else has changed it in the meantime: look at it again.' },
  approval_needed: { status: 409, error: 'Nothing was done: another person must approve the call first.' },
  approval_used: { status: 409, error: 'Nothing was done: the approval of this call was used a short time ago.' },
  body_too_large: { status: 413, error: `The body is larger than ${LARGEST_BODY / 1024} KiB.` },
  unsupported_media_type: { status: 415, error: 'The body must be JSON: send Content-Type: application/json.' },
  confirmation_missing: { status: 422, error: 'confirm must repeat the id or the word that the operation asks for.' },
  refused: { status: 422, error: 'The present state does not allow this operation.' },
  too_many_requests: { status: 429, error: 'Too many calls: wait, then repeat the call.', retryAfter: 1 },
  internal_error: {
    status: 500,
    error: 'Unforeseen error: repeat the call, or report the request_id if it fails again.',
  },
  // 500 and no Retry-After: many clients repeat a 503 by themselves, and a change must not be repeated so.
  outcome_unknown: {
    status: 500,
    error: 'It is not known whether the change was made: look at the present state before you repeat the call.',
  },
  operator_failed: {
    status: 502,
    error: 'The operator gave no usable answer: the poller continues to ask.',
    retryAfter: 60,
  },
  unavailable: {
    status: 503,
    error: 'Something that the service needs does not answer: repeat the call.',
    retryAfter: 2,
  },
  timed_out: {
    status: 504,
    error: 'The service did not answer in time: the change may have been made, so look before you repeat the call.',
    retryAfter: 2,
  },
} as const satisfies Readonly<Record<string, FailureText>>;
export type AdministrationCode = keyof typeof FAILURES;
export const ADMINISTRATION_FAILURES: Readonly<Record<AdministrationCode, FailureText>> = FAILURES;
export const ADMINISTRATION_CODES = Object.keys(FAILURES) as readonly AdministrationCode[];

/** After a failure with one of these codes, the change may have been made. */
export const IN_DOUBT: ReadonlySet<AdministrationCode> = new Set([
  'internal_error',
  'outcome_unknown',
  'unavailable',
  'timed_out',
]);

/** A wrong field: its dotted path on the wire, and a sentence that says how to correct it. */
export interface AdministrationFieldFault {
  readonly field: string;
  readonly reason: string;
}

interface FailureDetails {
  /** The text must hold no personal data. */
  readonly text?: string | undefined;
  readonly fields?: readonly AdministrationFieldFault[];
  readonly cause?: unknown;
}

export class AdministrationFailure extends Error {
  readonly code: AdministrationCode;
  readonly text: string | undefined;
  readonly fields: readonly AdministrationFieldFault[] | undefined;

  constructor(code: AdministrationCode, details: FailureDetails = {}) {
    super(code, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AdministrationFailure';
    this.code = code;
    this.text = details.text;
    this.fields = details.fields;
  }
}

export const administrationError = described(
  z.object({
    ok: z.literal(false),
    error: described(z.string(), 'What happened and how to correct it, as a sentence for people. It may change.'),
    code: described(z.enum(ADMINISTRATION_CODES), 'Which failure it is. It is stable: programs branch on it.'),
    fields: described(
      z.optional(z.array(z.object({ field: z.string(), reason: z.string() }))),
      'All fields with this fault, as dotted paths.',
    ),
    request_id: described(z.string(), 'Names the call in the logs. Equal to the header X-Request-Id.'),
  }),
  { id: 'Error' },
);

export function administrationAnswer(
  { code, text, fields }: Pick<AdministrationFailure, 'code' | 'text' | 'fields'>,
  requestId: string,
): { status: number; headers: Record<string, string>; body: z.input<typeof administrationError> } {
  const { status, error, retryAfter } = ADMINISTRATION_FAILURES[code];
  return {
    status,
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
    body: {
      ok: false,
      error: text ?? error,
      code,
      fields: fields?.map(({ field, reason }) => ({ field, reason })),
      request_id: requestId,
    },
  };
}

/** Throws `not_found`, which names `what`. */
export function orNotFound<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new AdministrationFailure('not_found', { text: `There is no ${what}.` });
  return found;
}
