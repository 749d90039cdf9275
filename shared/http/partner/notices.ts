import type * as z from 'zod/mini';
import type { JsonObject } from '#shared/contract/fields.ts';
import type { Notice } from '#shared/contract/notices.ts';
import type { Route } from '#shared/contract/routes.ts';
import { noticesOnQueryAndKey, unknownFields } from '#shared/contract/unknown-fields.ts';
import { emit } from '#shared/runtime/metrics.ts';

export interface Beside {
  readonly route: Route;
  readonly query: Readonly<Record<string, string>>;
  readonly misnamedKey: string | undefined;
}

export function noticesOf(
  { route, body, query, misnamedKey }: Beside & { readonly body: JsonObject },
  schema: z.ZodMiniObject,
): readonly Notice[] {
  const notices = unknownFields(schema, body).concat(noticesOnQueryAndKey(query, misnamedKey));
  if (notices.length > 0) emit({ operation: route.operation }, { UnknownFields: notices.length });
  return notices;
}
