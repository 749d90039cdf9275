import type * as z from 'zod/mini';
import type { Notice } from '../contract/notices.ts';
import { unknownFields } from '../contract/unknown-fields.ts';
import { emit } from '../runtime/metrics.ts';
import type { Request } from './endpoint.ts';

/** What the answer to a call says of the fields of its body that the schema does not know; counts them. */
export function noticeUnknown(
  { route, body }: Pick<Request, 'route' | 'body'>,
  schema: z.ZodMiniObject,
): readonly Notice[] {
  const unknown = unknownFields(schema, body);
  if (unknown.length > 0) emit({ operation: route.operation }, { UnknownFields: unknown.length });
  return unknown;
}
