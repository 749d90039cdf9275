import type * as z from 'zod/mini';
import type { Notice } from '../contract/notices.ts';
import { unknownFields, unusedBeside } from '../contract/unknown-fields.ts';
import { emit } from '../runtime/metrics.ts';
import type { Request } from './endpoint.ts';

/** What the answer to a call says of the fields of its body that the schema does not know, of its query, and of a misnamed key; counts them. */
export function noticeUnknown(
  { route, body, query, misnamedKey }: Pick<Request, 'route' | 'body' | 'query' | 'misnamedKey'>,
  schema: z.ZodMiniObject,
): readonly Notice[] {
  const unknown = [...unknownFields(schema, body), ...unusedBeside(query, misnamedKey)];
  if (unknown.length > 0) emit({ operation: route.operation }, { UnknownFields: unknown.length });
  return unknown;
}
