import * as z from 'zod/mini';
import { invalidField } from './fields.ts';

/** Null if there is no next page. Clients do not read a cursor's content. */
export const cursorOf = (place: unknown): string | null =>
  place === undefined ? null : Buffer.from(JSON.stringify(place)).toString('base64url');

/** Undefined on the first page. Throws `field_invalid` for a cursor that is not ours. */
export function placeIn<S extends z.ZodMiniType>(schema: S, cursor: string | undefined): z.output<S> | undefined {
  if (cursor === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw invalidField('cursor', 'must be the next_cursor of the page before');
  }
}

/** Content of a cursor of work whose place the table keeps. It only says that the work has begun. */
const KEPT_PLACE = 'kept in the table';

export const keptCursor = (done: boolean): string | null => cursorOf(done ? undefined : KEPT_PLACE);

/** Throws `field_invalid` for any cursor other than `KEPT_PLACE`. */
export const goesOnFrom = (cursor: string | undefined): boolean => placeIn(z.literal(KEPT_PLACE), cursor) !== undefined;
