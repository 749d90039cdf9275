import type * as z from 'zod/mini';
import type { JsonObject } from '#shared/contract/fields.ts';
import type { Operation } from '#shared/contract/routes.ts';
import type { Failure } from '#shared/domain/values/failure.ts';

export type Example = readonly [summary: string, value: unknown];

interface BodyWords {
  readonly schema: z.ZodMiniObject;
  readonly examples: Readonly<Record<string, Example>>;
  /** Parses a body as the endpoint does. Throws the failure of a body that breaks the schema or a further rule. */
  readonly read: (body: JsonObject) => unknown;
  /** Bodies that `read` refuses. Their examples show the failures that `read` throws. */
  readonly refused: readonly (readonly [summary: string, body: JsonObject])[];
}

export interface AnswerWords {
  readonly description: string;
  /** Undefined if the answer has no body. */
  readonly schema?: z.ZodMiniType | { readonly type: 'object' | 'string'; readonly [keyword: string]: unknown };
  readonly examples?: Readonly<Record<string, Example>>;
  /** @default application/json */
  readonly mediaType?: string;
  /** An id in the body (as a JSON pointer), and the operations whose path takes this id. */
  readonly leadsTo?: { readonly id: `/${string}`; readonly operations: readonly Operation[] };
}

export interface OperationWords {
  readonly summary: string;
  readonly description: string;
  /** Description of the id in the path, with the id of the examples. Undefined if the route has no id. */
  readonly id?: readonly [description: string, example: number | string];
  readonly query?: z.ZodMiniObject;
  readonly body?: BodyWords;
  readonly answers: Readonly<Record<number, AnswerWords>>;
  /** Failures that only stored data can cause, each with the summary of its example. */
  readonly failures?: readonly (readonly [summary: string, failure: Failure])[];
}

export function answer(
  description: string,
  schema: z.ZodMiniType,
  examples: Readonly<Record<string, Example>>,
  leadsTo?: NonNullable<AnswerWords['leadsTo']>,
): AnswerWords {
  return { description, schema, examples, leadsTo };
}

/** Generators of OpenAPI 3.0 need `format: binary` to tell bytes from text. */
export function fileAnswer(description: string, mediaType: string): AnswerWords {
  const format = mediaType.startsWith('text/') ? undefined : 'binary';
  return { description, mediaType, schema: { type: 'string', contentMediaType: mediaType, format } };
}
