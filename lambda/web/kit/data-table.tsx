// A table of facts and numbers, which scrolls by itself on narrow screens.
import type { ReactNode } from 'react';

interface DataTableProps {
  /** The name for screen readers. */
  readonly name: string;
  /** The names of the columns, in order. */
  readonly columns: readonly string[];
  /** Names of columns with numbers, which end at one line. */
  readonly numbers?: readonly string[];
  /** The rows. */
  readonly children: ReactNode;
}

export function DataTable({ name, columns, numbers = [], children }: DataTableProps): ReactNode {
  return (
    <div className="scrolled" tabIndex={0} role="group" aria-label={name}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column} className={numbers.includes(column) ? 'number' : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
