import type { ComponentChildren } from 'preact';
import type { Pages } from '../answers.ts';
import { emptyText } from '../api.ts';
import { Button, Failed } from './basics.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Digits that are compared down the column. */
  readonly numeric?: boolean;
}

const orDash = (value: ComponentChildren) => (value === null || value === '' ? <span class="soft">—</span> : value);

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

/** A table, a dash for what is not there; on a narrow screen each row becomes a card, with the column's title before each value. */
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
                <div>{orDash(cell(row))}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A list page by page, with the way to its next page, or why it cannot be read. */
export function List<Row>({ of, ...table }: Omit<TableProps<Row>, 'rows' | 'more'> & { readonly of: Pages<Row> }) {
  const { rows, error, loading, more, onMore } = of;
  return (
    <>
      <Failed error={error} />
      {rows && <Table {...table} rows={rows} more={more} />}
      {more && (
        <p class="more">
          <Button onClick={onMore} busy={loading}>
            Mostrar mais
          </Button>
        </p>
      )}
    </>
  );
}
