import type { ComponentChildren } from 'preact';
import type { Pages } from '../answers.ts';
import { emptyText } from '../api.ts';
import { Button, FailedRead } from './basics.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Whether the values are numbers, which people compare down the column. */
  readonly numeric?: boolean;
}

const orDash = (value: ComponentChildren) => (value === null || value === '' ? <span class="soft">—</span> : value);

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly empty: string;
  /** Whether another page follows. If so, the list may still have rows. */
  readonly more?: boolean;
}

/** On a narrow screen each row is a card, with the column's title before each value. */
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

export function List<Row>({ of, ...table }: Omit<TableProps<Row>, 'rows' | 'more'> & { readonly of: Pages<Row> }) {
  const { rows, loading, more, onMore } = of;
  return (
    <>
      <FailedRead of={of} />
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
