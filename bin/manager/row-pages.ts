import { CommandError } from './errors.ts';
import type { Session } from './session.ts';

/** A page of a look at all rows of the table: how many it is about, and how many there are, as far as known. */
interface RowPage {
  readonly seen: number;
  readonly total: number | undefined;
}

/** A page that has written rows anew, with all that do not open since the run's first page. */
interface RewritePage extends RowPage {
  readonly broken: readonly string[];
  readonly brokenCount: number;
}

/**
 * The pages of a look at all rows, with a bar of how far it is. `seen` counts the rows since the first page, or those of
 * each page alone where they are to be `added`.
 */
export async function* rowPages<Page extends RowPage>(
  session: Session,
  pages: AsyncIterable<Page>,
  seen: 'so far' | 'added' = 'so far',
): AsyncGenerator<Page> {
  let bar: ReturnType<Session['progress']> | undefined;
  let before = 0;
  for await (const page of pages) {
    // About how many there are is known once the first page is there.
    bar ??= session.progress('rows', page.total ?? 0);
    bar.step(page.seen - before);
    if (seen === 'so far') before = page.seen;
    yield page;
  }
  bar?.end();
}

/** Takes all pages, and gives the last. */
export async function lastOfRewrite<Page extends RewritePage>(pages: AsyncIterable<Page>): Promise<Page> {
  let last: Page | undefined;
  for await (const page of pages) last = page;
  if (!last) throw new Error('no row was looked at');
  return last;
}

/** Ends the command as failed where rows do not open; `what` says it of so many. Throws a CommandError. */
export function failWhereBroken(
  { broken, brokenCount }: Pick<RewritePage, 'broken' | 'brokenCount'>,
  what: string,
): void {
  if (brokenCount > 0) throw new CommandError(`${brokenCount} ${what}, among them: ${broken.join('; ')}`);
}
