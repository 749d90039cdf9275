import type { ComponentChildren } from 'preact';
import { emptyText } from '../api.ts';
import { Button } from './basics.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Digits that are compared down the column. */
  readonly numeric?: boolean;
}

interface TableProps<Row> {
  /** Names the table to who does not see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** What stands there where nothing is to show. */
  readonly empty: string;
  /** Whether a page follows: that nothing is to show is then not known. */
  readonly more?: boolean;
}

/** A table; on a narrow screen each row becomes a card, with the column's title before each value. */
export function Table<Row>({ caption, columns, rows, keyOf, empty, more = false }: TableProps<Row>) {
  if (rows.length === 0) return <p class="empty">{emptyText(empty, more)}</p>;
  return (
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, numeric }) => (
            <th key={title} scope="col" class={numeric ? 'numeric' : ''}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, cell, numeric }) => (
              <td key={title} data-title={title} class={numeric ? 'numeric' : ''}>
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The way to the next page of a list. */
export function More({ more, busy, onMore }: { more: boolean; busy: boolean; onMore: () => void }) {
  return more ? (
    <p class="more">
      <Button onClick={onMore} busy={busy}>
        Mostrar mais
      </Button>
    </p>
  ) : null;
}
