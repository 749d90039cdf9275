import type { Sent } from '#bin/manager/administration-client.ts';
import {
  type AdministrationCode,
  type AdministrationFieldFault,
  administrationError,
} from '#shared/administration/failures.ts';
import {
  type AnswerOf,
  operationNamed,
  type PreviewOf,
  type SentBody,
  type SentQuery,
} from '#shared/administration/operations.ts';
import type { CallAdministration, PanelOperation } from '../forward.ts';

/** Why a change is made, and the name of what it ends. */
export interface Because {
  readonly reason?: string;
  readonly confirm?: string | undefined;
}

/** A change without fields of its own takes these two alone. */
type Body<Name extends PanelOperation> = string extends keyof SentBody<Name> ? Because : SentBody<Name> & Because;

/** What a call carries; what is undefined or empty in `query` is left out. */
export interface Call<Name extends PanelOperation> {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: { readonly [Key in keyof SentQuery<Name>]?: SentQuery<Name>[Key] | '' | undefined };
  readonly body?: Body<Name>;
}

/** The body of an answer that is no 200. */
interface Failure {
  readonly code: AdministrationCode | 'panel_closed' | 'signed_out';
  /** The service's own sentence, in English. */
  readonly error: string;
  readonly fields?: readonly AdministrationFieldFault[];
  readonly request_id?: string;
}

/** A call that failed, with what the service says of it. */
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

/** Called where a change has failed: it may have been made, or others have changed what is shown. */
export const onFailedChange = new Set<() => void>();

/** How many calls run; who shows it is told. */
export const calls = { running: 0, changed: (): void => undefined };
function runs(by: 1 | -1): void {
  calls.running += by;
  calls.changed();
}

/** By the panel's process on this machine. */
const byProcess: CallAdministration = async (operation, sent) => {
  const response = await fetch(`/api/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sent),
  });
  // The panel's own refusals are plain text: its cookie is no longer known.
  if (!response.headers.get('content-type')?.startsWith('application/json')) throw new Error('the cookie is not known');
  return { status: response.status, body: await response.json() };
};

/** How calls reach the administration; where the page is hosted its person signs them (sign-in.ts). */
export const way: { call: CallAdministration; lost: 'panel_closed' | 'signed_out' } = {
  call: byProcess,
  lost: 'panel_closed',
};

/** Reads the body of an answer that is no 200. */
function failureIn(body: unknown): Failure {
  const read = administrationError.safeParse(body);
  return read.success ? read.data : { code: 'internal_error', error: 'The failure has no form that the panel knows.' };
}

async function post(operation: PanelOperation, sent: Sent): Promise<unknown> {
  runs(1);
  const { status, body } = await way
    .call(operation, sent)
    .catch(() => Promise.reject(new CallError(operation, { code: way.lost, error: '' })))
    .finally(() => runs(-1));
  if (status !== 200) throw new CallError(operation, failureIn(body));
  return body;
}

/** The fields that have a value: a strict schema refuses a field that it does not know, even an undefined one. */
const given = (fields: object = {}) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const filled = (values: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => [name, String(value)]),
  );

/** Calls an operation of the administration. Throws a CallError. */
export async function ask<Name extends PanelOperation>(
  operation: Name,
  { params, query, body }: Call<Name> = {},
): Promise<AnswerOf<Name>> {
  try {
    // The panel's process has parsed the answer by the operation's schema.
    return (await post(operation, {
      params: filled(params),
      query: filled(query),
      body: body && given(body),
    })) as AnswerOf<Name>;
  } catch (error) {
    if (operationNamed(operation).changes) for (const told of onFailedChange) told();
    throw error;
  }
}

/** What a change would do; nothing is changed and nothing noted. Throws a CallError. */
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
 * Calls a paged operation until its last page; `seen` is told of each. Throws what a page throws: what came before it is
 * done, and the same call from the start goes on with the rest.
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

/** What stands in place of a list's rows: that there are none is known only where no page follows. */
export const emptyText = (none: string, more: boolean): string =>
  more ? 'Nada até aqui, e a lista continua: “Mostrar mais”.' : none;

export type PartnerDetails = AnswerOf<'show-partner'>['partner'];

/** What each part of a partner's page works with. */
export interface PartProps {
  readonly partner: PartnerDetails;
  /** Reads the partner anew after a change. */
  readonly onChanged: () => void;
}
