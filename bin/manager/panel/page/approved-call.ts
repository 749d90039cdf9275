import * as z from 'zod/mini';
import { type AnswerOf, operationNamed } from '#shared/administration/operations.ts';

export type Approval = AnswerOf<'list-approvals'>['approvals'][number];
type Value = Approval['fields'][number]['value'];
interface ValueTree {
  [field: string]: Value | ValueTree;
}

export interface ApprovedCall {
  readonly params: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * The call is made only from the fields that the approver saw; the service checks that the call shows exactly what was
 * approved. Undefined if the call has a CPF, of which the request has only a keyed hash.
 */
export function approvedCall({ operation, fields, reason }: Approval, token: string): ApprovedCall | undefined {
  const { params: inPath, body: inBody, confirm } = operationNamed(operation);
  const values = valueTree(fields);
  const bodyShape = inBody?.shape ?? {};
  if ('cpf' in bodyShape && (values['cpf'] ?? null) !== null) return undefined;
  const params: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (inPath && name in inPath.shape) params[name] = String(value);
    const schema = bodyShape[name];
    const sent = schema && sentValue(schema, value);
    if (sent !== undefined) body[name] = sent;
  }
  if ('token' in bodyShape) body['token'] = token;
  if (inBody && !inBody.safeParse(body).success) return undefined;
  if (inPath && !inPath.safeParse(params).success) return undefined;
  const confirmed = confirm?.fields.map((name) => params[name] ?? body[name]).find((value) => value !== undefined);
  if (confirmed !== undefined) body['confirm'] = String(confirmed);
  return { params, body: { ...body, reason } };
}

function valueTree(fields: Approval['fields']): ValueTree {
  const tree: ValueTree = {};
  for (const { field, value } of fields) {
    const [name = field, part] = field.split('.');
    const inner = tree[name];
    if (part === undefined) tree[name] = value;
    else tree[name] = { ...(typeof inner === 'object' ? inner : undefined), [part]: value };
  }
  return tree;
}

/**
 * Undefined for a value that no call can have sent: the service writes such a word, for example `all`, for a missing
 * value.
 */
function sentValue(schema: z.core.$ZodType, value: Value | ValueTree): unknown {
  const candidates = typeof value === 'string' ? [value, value.split(', ')] : [value];
  return candidates.find((candidate) => z.safeParse(schema, candidate).success);
}

/** Counts other people's undecided requests, and the person's own approved requests whose call is not made yet. */
export const waitingFor = (approvals: readonly Pick<Approval, 'state' | 'asked_by_you'>[]): number =>
  approvals.filter(({ state, asked_by_you: isOwn }) => state === (isOwn ? 'approved' : 'asked')).length;

type State = Pick<Approval, 'state'>;

export const isOpen = ({ state }: State): boolean => state === 'asked' || state === 'approved';

export const openFirst = <Row extends State>(approvals: readonly Row[]): readonly Row[] =>
  approvals.toSorted((one, other) => Number(isOpen(other)) - Number(isOpen(one)));
