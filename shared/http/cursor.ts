import * as z from 'zod/mini';
import { invalidField } from './administration-parse.ts';

/** A place as clients carry it to the next page: they read nothing from it. Null where there is no next page. */
export function cursorOf(place: unknown): string | null {
  return place === undefined ? null : Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The place that a client has carried; undefined on the first page. Throws `field_invalid` for what is none of ours. */
export function placeIn<S extends z.ZodMiniType>(schema: S, cursor: string | undefined): z.output<S> | undefined {
  if (cursor === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw invalidField('cursor', 'must be the next_cursor of the page before');
  }
}

/** The place inside a cursor of work whose real place the table keeps: it only says that the work has begun. */
const KEPT_PLACE = 'kept in the table';

/** The cursor of work whose place the table keeps; null once it is done. */
export const keptCursor = (done: boolean): string | null => cursorOf(done ? undefined : KEPT_PLACE);

/** Whether a client goes on with such work. Throws `field_invalid` for what is no cursor of it. */
export const goesOnFrom = (cursor: string | undefined): boolean => placeIn(z.literal(KEPT_PLACE), cursor) !== undefined;
