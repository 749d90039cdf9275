/** What stands in place of a list's rows: that there are none is known only where no page follows. */
export function emptyText(none: string, more: boolean): string {
  return more ? 'Nada até aqui, e a lista continua: “Mostrar mais”.' : none;
}
