import type * as z from 'zod/mini';
import type { JsonObject } from '#shared/contract/fields.ts';
import type { Operation } from '#shared/contract/routes.ts';
import type { Failure } from '#shared/domain/values/failure.ts';

/** A body of a call or of an answer, and what it is an example of. */
export type Example = readonly [summary: string, value: unknown];

interface BodyWords {
  readonly schema: z.ZodMiniObject;
  readonly examples: Readonly<Record<string, Example>>;
  /** What the endpoint reads out of a body. Throws the failure of a body that breaks the schema or a rule beyond it. */
  readonly read: (body: JsonObject) => unknown;
  /** Bodies that `read` refuses: the examples of those failures are what it really says of them. */
  readonly refused: readonly (readonly [summary: string, body: JsonObject])[];
}

/** The text and the examples of an answer. */
export interface AnswerWords {
  readonly description: string;
  /** None where the answer has no body. */
  readonly schema?: z.ZodMiniType | { readonly type: 'object' | 'string'; readonly [keyword: string]: unknown };
  readonly examples?: Readonly<Record<string, Example>>;
  /** @default application/json */
  readonly mediaType?: string;
  /** An id in the body (a JSON pointer), and the operations whose path takes it. */
  readonly leadsTo?: { readonly id: `/${string}`; readonly operations: readonly Operation[] };
}

/** The texts and the examples of an operation. */
export interface OperationWords {
  readonly summary: string;
  readonly description: string;
  /** What the id in the path is, and the story's; on routes that have one. */
  readonly id?: readonly [description: string, example: number | string];
  readonly query?: z.ZodMiniObject;
  readonly body?: BodyWords;
  /** Answers that are no failure, by status. */
  readonly answers: Readonly<Record<number, AnswerWords>>;
  /** Failures that only what is stored can cause, each with the case that its example shows. */
  readonly failures?: readonly (readonly [summary: string, failure: Failure])[];
}

/** An answer in JSON. */
export function answer(
  description: string,
  schema: z.ZodMiniType,
  examples: Readonly<Record<string, Example>>,
  leadsTo?: NonNullable<AnswerWords['leadsTo']>,
): AnswerWords {
  return { description, schema, examples, leadsTo };
}

/** An answer that is a file. `format: binary` is how generators of OpenAPI 3.0 know bytes from text. */
export function fileAnswer(description: string, mediaType: string): AnswerWords {
  const format = mediaType.startsWith('text/') ? undefined : 'binary';
  return { description, mediaType, schema: { type: 'string', contentMediaType: mediaType, format } };
}
