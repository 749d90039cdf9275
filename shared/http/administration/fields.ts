import * as z from 'zod/mini';
import {
  type AdministrationCode,
  AdministrationFailure,
  type AdministrationFieldFault,
} from '#shared/administration/failures.ts';
import type { Operation } from '#shared/administration/operation.ts';
import type { JsonObject } from '#shared/contract/fields.ts';
import { shownName } from '#shared/contract/request-failures.ts';
import type { Check } from '../checks.ts';
import { parseBody } from '../json-body.ts';
import { parseQuery } from '../query.ts';
import type { Call } from '../request.ts';

export interface Sent {
  readonly sent: JsonObject;
}

/** Throws 415, 413 and 400. A GET has no body: whatever comes with it is not read. */
export function jsonBody({ method }: Pick<Operation, 'method'>): Check<Call, Sent> {
  return { before: ({ event }) => ({ sent: method === 'GET' ? {} : parseBody(event) }) };
}

type Read<O extends Operation, Part extends 'params' | 'query' | 'body'> =
  O extends Readonly<Record<Part, infer S extends z.ZodMiniType>> ? z.output<S> : Record<never, never>;

export interface Fields<O extends Operation> {
  readonly params: Read<O, 'params'>;
  readonly query: Read<O, 'query'>;
  readonly body: Read<O, 'body'>;
}

/** Throws 400 for the first of path, query and body that its schema refuses. */
export function fields<O extends Operation>(operation: O): Check<Call & Sent, Fields<O>> {
  const { params = NOTHING, query = NOTHING, body = NOTHING } = operation;
  return {
    before({ event, sent }) {
      const read = {
        params: parseFields(params, event.pathParameters ?? {}),
        query: parseFields(query, parseQuery(event)),
        body: parseFields(body, ownFields(operation, sent)),
      };
      // Fields derives its types from the same schemas; TypeScript does not follow the defaults.
      return read as Fields<O>;
    },
  };
}

const NOTHING = z.strictObject({});

function ownFields({ audited, confirm, dryRun }: Operation, sent: JsonObject): JsonObject {
  if (!audited) return sent;
  const isAdded = (name: string) =>
    name === 'reason' || (name === 'confirm' && confirm !== undefined) || (name === 'dry_run' && dryRun);
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !isAdded(name)));
}

interface Fault extends AdministrationFieldFault {
  readonly code: AdministrationCode;
}

/** Codes of faults. The first of them that occurs is the answer's code. */
const ORDER = ['field_required', 'field_unknown', 'field_invalid'] as const satisfies readonly AdministrationCode[];

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );

function faultsOf(issue: z.core.$ZodIssue, value: unknown): Fault[] {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      code: 'field_unknown',
      field: [at, shownName(key)].filter((part) => part !== '').join('.'),
      reason: 'is unknown here: leave it out',
    }));
  }
  if (valueAt(value, issue.path) === undefined) return [{ code: 'field_required', field: at, reason: 'is missing' }];
  return [{ code: 'field_invalid', field: at, reason: issue.message }];
}

/** Throws for the first kind of fault in `ORDER` that occurs, with all fields of that kind. */
export function parseFields<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) => faultsOf(issue, value));
  const code = ORDER.find((one) => faults.some((fault) => fault.code === one)) ?? 'field_invalid';
  const named = faults.filter((fault) => fault.code === code).map(({ field, reason }) => ({ field, reason }));
  throw new AdministrationFailure(code, { fields: named });
}

export const invalidField = (field: string, reason: string): AdministrationFailure =>
  new AdministrationFailure('field_invalid', { fields: [{ field, reason }] });
