/**
 * The one stack of the administration. Each step throws, and the first that fails answers:
 *
 *   caller -> media type, size, JSON -> path, query, body -> reason -> confirm -> plan -> approval -> audit `started` ->
 *   change -> audit `done`, `failed`, or left `started` -> answer through its schema
 *
 * A plan reads what a change is about and refuses what cannot be; it changes nothing. From the row `started` on nothing
 * happens unnoted: where that row cannot be written, the change is not begun. `failed` says that nothing was changed; where
 * a write may have gone out before the error came, the row stays `started` and the answer is `outcome_unknown`.
 */
import type { APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod/mini';
import { AdministrationFailure } from '../administration/failures.ts';
import { confirm as confirmField, dryRun, reason as reasonField } from '../administration/fields.ts';
import type { Operation } from '../administration/operation.ts';
import { APPROVAL_LIFETIME, type Approvals, approvalId } from '../domain/audit/approvals.ts';
import type { AuditEntry, AuditFacts, AuditSubject, AuditTrail, OpenAudit, People } from '../domain/audit/ports.ts';
import { type Clock, timestamp } from '../domain/values/clock.ts';
import { remainingTime, withDeadline } from '../runtime/deadline.ts';
import { addToLog, logError } from '../runtime/log.ts';
import { type AdministrationCaller, callerOf, namedCaller, parseFields } from './administration-parse.ts';
import { administrationReply, failedReply, leavesInDoubt, recordAdministration } from './administration-reply.ts';
import { parseBody, parseQuery } from './parse.ts';
import type { Call } from './request.ts';
import { type Handler, type Made, stack } from './stack.ts';

type Read<O extends Operation, Part extends 'params' | 'query' | 'body'> =
  O extends Readonly<Record<Part, infer S extends z.ZodMiniType>> ? z.output<S> : Record<never, never>;
/** An operation's own part of an answer; the stack adds `ok` and, to a preview, `dry_run`. */
type Given<O extends Operation, Part extends 'answer' | 'preview'> =
  O extends Readonly<Record<Part, infer S extends z.ZodMiniType>> ? Omit<z.input<S>, 'ok' | 'dry_run'> : never;

/** A call whose fields have passed every check. */
export interface AdministrationRequest<O extends Operation> {
  readonly caller: AdministrationCaller;
  readonly params: Read<O, 'params'>;
  readonly query: Read<O, 'query'>;
  readonly body: Read<O, 'body'>;
  /** Whether only the preview is asked for. */
  readonly dry: boolean;
  /** Whether there is time for another piece of long work; where not, the rest is the next page's. */
  readonly inTime: () => boolean;
}

interface BaseDeps {
  readonly clock: () => Clock;
}

interface ChangeDeps extends BaseDeps {
  readonly audit: () => AuditTrail;
  readonly approvals: () => Approvals;
  readonly people: () => People;
}

type NeedsApproval<O> = O extends { readonly approval: string }
  ? { readonly needsApproval: boolean }
  : { readonly needsApproval?: boolean };

/** What a change would do, and how it is done. `needsApproval`: whether one person may not do it, where a stage asks for two. */
export type Plan<O extends Operation> = NeedsApproval<O> & PlannedChange<O>;

interface PlannedChange<O extends Operation> {
  readonly about: AuditSubject;
  /** What the audit names before the change; ids and keyed hashes, nothing personal. */
  readonly target: AuditFacts;
  /** What `confirm` must repeat beyond what the operation itself demands; undefined where nothing. */
  readonly confirm?: string | undefined;
  readonly preview?: () => Promise<Given<O, 'preview'>>;
  readonly change: () => Promise<Given<O, 'answer'>>;
  /** Whether a part of the change broke off, as the answer says: its row then stays `started`. */
  readonly brokeOff?: (answer: Given<O, 'answer'>) => boolean;
  /** What the audit adds once it is known. */
  readonly result?: (answer: Given<O, 'answer'>) => AuditFacts;
}

/** Milliseconds that a change leaves for closing its row of the audit. */
const AUDIT_MARGIN_MS = 1_000;
/** How long a change may take where no deadline is set, in milliseconds. */
const LONGEST_CHANGE_MS = 30_000;

/** An operation that changes nothing and is not noted. */
export function administrationRead<O extends Operation, D extends BaseDeps>(
  operation: O,
  makeDeps: D,
  read: (request: AdministrationRequest<O>, deps: Made<D>) => Promise<Given<O, 'answer'>>,
): Handler {
  return unnoted(operation, makeDeps, () => ({}), read);
}

/**
 * An operation that a machine reports by. It is not noted in the audit and has no reason: the rows that it writes are
 * the evidence.
 */
export function administrationReport<O extends Operation, D extends BaseDeps>(
  operation: O,
  makeDeps: D,
  report: (request: AdministrationRequest<O>, deps: Made<D>) => Promise<Given<O, 'answer'>>,
): Handler {
  return unnoted(operation, makeDeps, parseBody, report);
}

/** An operation that is noted: `plan` looks, and the stack notes, changes and notes again. */
export function administrationChange<O extends Operation, D extends ChangeDeps>(
  operation: O,
  makeDeps: D,
  plan: (request: AdministrationRequest<O>, deps: Made<D>) => Promise<Plan<O>>,
): Handler {
  return administrationStack(operation, makeDeps, async (call, deps) => {
    const signer = callerIn(call);
    const inTime = inTimeFrom(performance.now());
    const { own, added } = split(operation, parseBody(call));
    const fields = fieldsOf(call, operation, own);
    const { dry_run: dry = false } = parseFields(DRY_RUN, pick(added, 'dry_run'));
    const reason = dry ? '' : parseFields(REASON, pick(added, 'reason')).reason;
    const { confirm } = parseFields(CONFIRM, pick(added, 'confirm'));
    if (!dry) checkConfirm(confirm, demandedBy(operation, { ...fields.params, ...fields.body }));
    const caller = dry ? signer : await namedCaller(signer, (deps as Made<ChangeDeps>).people);
    const made = await plan({ caller, inTime, dry, ...fields }, deps);
    if (dry) {
      const preview = { ok: true, dry_run: true, ...(await made.preview?.()) };
      return administrationReply(call, operation.preview as z.ZodMiniType, preview);
    }
    checkConfirm(confirm, made.confirm);
    const { about } = made;
    const { clock, audit } = deps as Made<ChangeDeps>;
    const entry = { about, who: caller.arn, action: operation.operation, target: made.target, reason };
    const approved = made.needsApproval ? await approvalOf(entry, caller, fields, deps as Made<ChangeDeps>) : {};
    const row = await audit.begin({ ...entry, target: { ...made.target, ...approved } }, clock());
    return administrationReply(call, operation.answer, { ok: true, ...(await noted(row, made, operation.changes)) });
  });
}

/**
 * The facts of the approval that lets a call be made, used by this very call; none where the stage asks for none. Throws
 * `approval_needed`, which names what another person has to approve. The same call is the one with the same fields but
 * for the reason, the confirmation, a token, and a CPF: the target has its keyed hash.
 */
async function approvalOf(
  { action: operation, who: askedBy, ...entry }: AuditEntry,
  { person }: AdministrationCaller,
  { params, body }: { readonly params: object; readonly body: object },
  { approvals, clock }: Made<ChangeDeps>,
): Promise<AuditFacts> {
  if (!approvals.required()) return {};
  const wish = { operation, askedBy, person, ...entry };
  const id = approvalId(wish, { ...params, ...body, token: undefined, cpf: undefined });
  const { state, decidedBy = '', askedAt } = await approvals.useOrAsk(id, wish, clock());
  if (state === 'used') return { approval: id, approved_by: decidedBy };
  const until = timestamp(askedAt + APPROVAL_LIFETIME);
  throw new AdministrationFailure('approval_needed', {
    text: `Nothing was done: another person who may do it has to approve ${id} by ${until}; then make the same call again.`,
  });
}

function unnoted<O extends Operation, D extends BaseDeps>(
  operation: O,
  makeDeps: D,
  bodyOf: (call: Call) => Fields,
  work: (request: AdministrationRequest<O>, deps: Made<D>) => Promise<Given<O, 'answer'>>,
): Handler {
  return administrationStack(operation, makeDeps, async (call, deps) => {
    const caller = callerIn(call);
    const inTime = inTimeFrom(performance.now());
    const request = { caller, inTime, dry: false, ...fieldsOf(call, operation, bodyOf(call)) };
    return administrationReply(call, operation.answer, { ok: true, ...(await work(request, deps)) });
  });
}

/** How long a page of long work goes on beginning pieces, in milliseconds: people watch how far it is. */
const PAGE_MS = 8_000;
/** No piece of long work is begun with less time left, in milliseconds. */
const PIECE_MS = 6_000;

function inTimeFrom(start: number): () => boolean {
  return () => performance.now() - start < PAGE_MS && remainingTime(LONGEST_CHANGE_MS) > PIECE_MS;
}

/**
 * Makes a change, or a read that is noted, and closes its row of the audit once it is known how it ended. Throws
 * `outcome_unknown` where a change leaves that open.
 */
async function noted<O extends Operation>(
  row: OpenAudit,
  plan: Plan<O>,
  isChange: boolean,
): Promise<Given<O, 'answer'>> {
  let answer: Given<O, 'answer'>;
  try {
    answer = await withDeadline(remainingTime(LONGEST_CHANGE_MS) - AUDIT_MARGIN_MS, plan.change);
  } catch (error) {
    if (isChange && leavesInDoubt(error)) throw new AdministrationFailure('outcome_unknown', { cause: error });
    // What went wrong first is what the caller has to hear.
    await row.close('failed').catch((second: unknown) => logError('audit_left_open', second));
    throw error;
  }
  if (plan.brokeOff?.(answer)) return answer;
  // The change is made, and what it gave (a key, a secret) is shown this once: a failure here must not swallow it.
  await row.close('done', plan.result?.(answer)).catch((error: unknown) => logError('audit_left_open', error));
  return answer;
}

function callerIn(call: Call): AdministrationCaller {
  const caller = callerOf(call);
  addToLog({ role: caller.role });
  return caller;
}

/** Path, query and body as the operation's schemas read them. */
function fieldsOf<O extends Operation>(
  call: Call,
  { params, query, body }: O,
  sent: Readonly<Record<string, unknown>>,
): Omit<AdministrationRequest<O>, 'caller' | 'inTime' | 'dry'> {
  return {
    params: parseFields(params ?? NOTHING, call.pathParameters ?? {}),
    query: parseFields(query ?? NOTHING, parseQuery(call)),
    body: parseFields(body ?? NOTHING, sent),
  } as Omit<AdministrationRequest<O>, 'caller' | 'inTime' | 'dry'>;
}

const NOTHING = z.strictObject({});
const REASON = z.strictObject({ reason: reasonField() });
const CONFIRM = z.strictObject({ confirm: z.optional(confirmField()) });
const DRY_RUN = z.strictObject({ dry_run: z.optional(dryRun()) });

type Fields = Readonly<Record<string, unknown>>;

const pick = (fields: Fields, name: string): Fields => (name in fields ? { [name]: fields[name] } : {});

/** A body's own fields, and those that its kind of operation adds. What the kind does not add, the schema refuses. */
function split({ confirm, dryRun: dry }: Operation, body: Fields): { own: Fields; added: Fields } {
  const isAdded = (name: string) =>
    name === 'reason' || (name === 'confirm' && confirm !== undefined) || (name === 'dry_run' && dry === true);
  const entries = Object.entries(body);
  return {
    own: Object.fromEntries(entries.filter(([name]) => !isAdded(name))),
    added: Object.fromEntries(entries.filter(([name]) => isAdded(name))),
  };
}

/** The text that an operation wants to be repeated; undefined where it wants none, or leaves it to the plan. */
function demandedBy({ confirm }: Operation, fields: Fields): string | undefined {
  if (!confirm || confirm.sometimes) return undefined;
  const named = confirm.fields.map((field) => fields[field]).find((value) => value !== undefined);
  return named === undefined ? confirm.otherwise : String(named);
}

function checkConfirm(confirm: string | undefined, demanded: string | undefined): void {
  if (demanded === undefined || confirm === demanded) return;
  throw new AdministrationFailure('confirmation_missing', {
    fields: [{ field: 'confirm', reason: `must be ${demanded}: it cannot be undone` }],
  });
}

function administrationStack<D extends BaseDeps>(
  { operation }: Operation,
  makeDeps: D,
  run: (call: Call, deps: Made<D>) => Promise<APIGatewayProxyResult>,
): Handler {
  return stack(operation, makeDeps, { run, failed: failedReply, record: recordAdministration });
}
