import * as z from 'zod/mini';
import { invalidField } from './fields.ts';

/** Returns the cursor of the next page. Clients do not look into it. Null if there is no next page. */
export const cursorOf = (place: unknown): string | null =>
  place === undefined ? null : Buffer.from(JSON.stringify(place)).toString('base64url');

/**
 * Returns the place in a cursor that a client sent. Undefined on the first page. Throws `field_invalid` for a cursor
 * that is not ours.
 */
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

/** Returns the cursor of work whose place the table keeps. Null once the work is done. */
export const keptCursor = (done: boolean): string | null => cursorOf(done ? undefined : KEPT_PLACE);

/** Whether a client continues work whose place the table keeps. Throws `field_invalid` for any other cursor. */
export const goesOnFrom = (cursor: string | undefined): boolean => placeIn(z.literal(KEPT_PLACE), cursor) !== undefined;
