/**
 * Calls a paged operation until its last page; `seen` is told of each. Throws what a page throws: what came before it is
 * done, and the same call from the start goes on with the rest.
 */
export async function runPages<Page extends { readonly next_cursor: string | null }>(
  page: (cursor: string | undefined) => Promise<Page>,
  seen: (page: Page) => void,
  goesOn: () => boolean = () => true,
): Promise<void> {
  let cursor: string | undefined;
  do {
    const answer = await page(cursor);
    seen(answer);
    cursor = answer.next_cursor ?? undefined;
  } while (cursor !== undefined && goesOn());
}

/** What stands in place of a list's rows: that there are none is known only where no page follows. */
export function emptyText(none: string, more: boolean): string {
  return more ? 'Nada até aqui, e a lista continua: “Mostrar mais”.' : none;
}
