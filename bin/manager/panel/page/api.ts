import type { Sent } from '#bin/manager/administration-client.ts';
import {
  type AdministrationCode,
  type AdministrationFieldFault,
  administrationError,
} from '#shared/administration/failures.ts';
import { joinPages } from '#shared/administration/leads.ts';
import {
  type AnswerOf,
  operationNamed,
  type PreviewOf,
  type SentBody,
  type SentQuery,
} from '#shared/administration/operations.ts';
import type { NamedStart } from '#shared/domain/partners/key-start.ts';
import type { CallAdministration, Forwarded, PanelOperation } from '../forward.ts';
import { type Approval, type ApprovedCall, waitingFor } from './approved-call.ts';

export interface Because {
  readonly reason?: string;
  readonly confirm?: string | undefined;
}

/** Body of a call. A change without fields of its own takes only the reason and the confirmation. */
type Body<Name extends PanelOperation> = string extends keyof SentBody<Name> ? Because : SentBody<Name> & Because;

/** Fields of `params` and `query` that are undefined or empty are left out. */
export interface Call<Name extends PanelOperation> {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: { readonly [Key in keyof SentQuery<Name>]?: SentQuery<Name>[Key] | '' | undefined };
  readonly body?: Body<Name>;
}

interface Failure {
  readonly code: AdministrationCode | 'signed_out';
  /** The service's own sentence, in English. */
  readonly error: string;
  readonly fields?: readonly AdministrationFieldFault[];
  readonly request_id?: string;
}

export class CallError extends Error {
  override readonly name = 'CallError';
  readonly operation: PanelOperation;
  readonly code: Failure['code'];
  readonly fields: readonly AdministrationFieldFault[];
  readonly requestId: string | undefined;

  constructor(operation: PanelOperation, failure: Failure) {
    super(failure.error);
    this.operation = operation;
    this.code = failure.code;
    this.fields = failure.fields ?? [];
    this.requestId = failure.request_id;
  }
}

/** Called after a change failed: it may have been made, or other people may have changed what is shown. */
export const onFailedChange = new Set<() => void>();

/** Number of calls that run now. `changed` is called whenever the number changes. */
export const calls = { running: 0, changed: (): void => undefined };
function countRunning(by: 1 | -1): void {
  calls.running += by;
  calls.changed();
}

/** How calls reach the administration. main.tsx puts the person's own way here after the sign-in. */
export const transport: { call: CallAdministration } = {
  call: () => Promise.reject(new Error('nobody has signed in')),
};

function failureIn(body: unknown): Failure {
  const read = administrationError.safeParse(body);
  return read.success ? read.data : { code: 'internal_error', error: 'The failure has no form that the panel knows.' };
}

/** Throws a CallError. */
async function bodyOf(operation: PanelOperation, answer: Promise<Forwarded>): Promise<unknown> {
  countRunning(1);
  const { status, body } = await answer
    .catch(() => Promise.reject(new CallError(operation, { code: 'signed_out', error: '' })))
    .finally(() => countRunning(-1));
  if (status !== 200) throw new CallError(operation, failureIn(body));
  return body;
}

const post = (operation: PanelOperation, sent: Sent) => bodyOf(operation, transport.call(operation, sent));

/** A strict schema refuses a field that it does not know, even an undefined one. */
const given = (fields: object = {}) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const filled = (values: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => [name, String(value)]),
  );

/** Throws a CallError. */
async function exported({ body }: Sent): Promise<AnswerOf<'export-lead'>> {
  const pages: AnswerOf<'export-lead'>[] = [];
  await runPages(
    async (cursor) => (await post('export-lead', { body: given({ ...body, cursor }) })) as AnswerOf<'export-lead'>,
    (page) => pages.push(page),
  );
  return { ok: true, person: pages.map(({ person }) => person).reduce(joinPages), next_cursor: null };
}

/** Returns all pages of an export, or one page of another answer. Throws a CallError. */
export async function ask<Name extends PanelOperation>(
  operation: Name,
  { params, query, body }: Call<Name> = {},
): Promise<AnswerOf<Name>> {
  try {
    const sent = { params: filled(params), query: filled(query), body: body && given(body) };
    // AdministrationClient has parsed the answer by the operation's schema.
    return (await (operation === 'export-lead' ? exported(sent) : post(operation, sent))) as AnswerOf<Name>;
  } catch (error) {
    if (operationNamed(operation).changes) for (const listener of onFailedChange) listener();
    throw error;
  }
}

/** Repeats a call that another person has approved. Returns its answer. Throws a CallError. */
export const askApproved = async (operation: Approval['operation'], call: ApprovedCall) =>
  // `approvedCall` has parsed the body by the operation's schema.
  ask(operation, call as Call<Approval['operation']>);

/** `changed` is called after each read. */
export const waiting = { approvals: 0, changed: (): void => undefined };

/** Throws a CallError. */
export async function readApprovals() {
  const answer = await ask('list-approvals');
  waiting.approvals = waitingFor(answer.approvals);
  waiting.changed();
  return answer;
}

/** Changes nothing. Throws a CallError. */
export async function preview<Name extends PanelOperation>(
  operation: Name,
  { params, body }: Pick<Call<Name>, 'params' | 'body'>,
): Promise<PreviewOf<Name>> {
  return (await post(operation, {
    params: filled(params),
    body: given({ ...body, dry_run: true }),
  })) as PreviewOf<Name>;
}

/**
 * Calls up to the last page, or until `goesOn` returns false. Throws what a page throws. Earlier pages have done their
 * work then, and the same call from the start continues with the rest.
 */
export async function runPages<Page extends { readonly next_cursor: string | null }>(
  page: (cursor: string | undefined) => Promise<Page>,
  seen: (page: Page) => void,
  goesOn: () => boolean = () => true,
): Promise<void> {
  let cursor: string | undefined;
  do {
    const answer = await page(cursor);
    seen(answer);
    cursor = answer.next_cursor ?? undefined;
  } while (cursor !== undefined && goesOn());
}

/** Only the last page shows that there are no rows at all. */
export const emptyText = (none: string, more: boolean): string =>
  more ? 'Nada até aqui, e a lista continua: “Mostrar mais”.' : none;

export type PartnerDetails = AnswerOf<'show-partner'>['partner'];

export interface PartProps {
  readonly partner: PartnerDetails;
  readonly onChanged: () => void;
  /** The start of a key by which the person came here. Undefined if the person did not look for a key. */
  readonly keyStart?: NamedStart | undefined;
}
