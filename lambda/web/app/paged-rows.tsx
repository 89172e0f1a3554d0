// The rows of a list with pages, a text if it has none, and the button that loads more.
import type { ReactNode } from 'react';
import { Loaded } from './loaded.tsx';
import { MoreButton } from './more-button.tsx';
import type { Pages } from './use-pages.ts';

interface PagedRowsProps<Item> {
  readonly pages: Pages<Item>;
  /** A text, or a place without content, that is shown if there are no rows. */
  readonly none: ReactNode;
  /** Whether the rows stand on the page itself, outside a section. */
  readonly isLong?: boolean;
  /** Renders the row of an item. */
  readonly children: (item: Item) => ReactNode;
}

export function PagedRows<Item>({ pages, none, isLong = false, children }: PagedRowsProps<Item>): ReactNode {
  const { first, path, items, more } = pages;
  const noRows = typeof none === 'string' ? <p className="hint">{none}</p> : none;
  return (
    <>
      <Loaded live={first} path={path}>
        {() =>
          items.length > 0 ? (
            <ul className={isLong ? 'rows long' : 'rows'}>{items.map((item) => children(item))}</ul>
          ) : (
            noRows
          )
        }
      </Loaded>
      <MoreButton more={more} />
    </>
  );
}
