/** A column: its title, and its cell of a row. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => string];

/** Rows under their titles, each column as wide as its longest cell. */
export function columns<Row>(rows: readonly Row[], shown: readonly Column<Row>[]): string {
  const lines = [shown.map(([title]) => title.toUpperCase()), ...rows.map((row) => shown.map(([, cell]) => cell(row)))];
  const widths = shown.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((text, index) => text.padEnd(widths[index]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
