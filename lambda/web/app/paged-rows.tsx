// The rows of a list with pages, a text if it has none, and the button that loads more.
import type { ReactNode } from 'react';
import { Loaded } from './loaded.tsx';
import { MoreButton } from './more-button.tsx';
import type { Pages } from './use-pages.ts';

interface PagedRowsProps<Item> {
  readonly pages: Pages<Item>;
  /** The text shown if there are no rows. */
  readonly none: string;
  /** Whether the rows stand on the page itself, outside a section. */
  readonly isLong?: boolean;
  /** Renders the row of an item. */
  readonly children: (item: Item) => ReactNode;
}

export function PagedRows<Item>({ pages, none, isLong = false, children }: PagedRowsProps<Item>): ReactNode {
  const { first, path, items, more } = pages;
  return (
    <>
      <Loaded live={first} path={path}>
        {() =>
          items.length === 0 ? (
            <p className="hint">{none}</p>
          ) : (
            <ul className={isLong ? 'rows long' : 'rows'}>{items.map((item) => children(item))}</ul>
          )
        }
      </Loaded>
      <MoreButton more={more} />
    </>
  );
}
