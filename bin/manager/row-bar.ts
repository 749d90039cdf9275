import type { Session } from './session.ts';

/** A bar over the rows of the table, whose number is about known once the first page is there. */
export function rowBar(session: Session) {
  let bar: ReturnType<Session['progress']> | undefined;
  let shown = 0;
  return {
    reach(seen: number, total: number | undefined) {
      bar ??= session.progress('rows', total ?? 0);
      bar.step(seen - shown);
      shown = seen;
    },
    end: () => bar?.end(),
  };
}
