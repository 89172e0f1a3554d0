// A list with pages: the first page is kept current, the others are read on request.
import { startTransition, useEffect, useRef, useState } from 'react';
import { call } from './api.ts';
import { useLive } from './live-data.ts';
import type { Live } from './live-data.ts';
import type { Page } from './types.ts';

export interface Pages<Item> {
  readonly path: string;
  readonly first: Live<Page<Item>>;
  /** The items of all pages that were read, without duplicates. */
  readonly items: readonly Item[];
  /** Reads the next page; null if there is none. */
  readonly more: (() => Promise<void>) | null;
  /** Reads all pages. @returns the items; null if the filters changed meanwhile, or the list is gone */
  readonly all: () => Promise<readonly Item[] | null>;
  /** Forgets the pages after the first one, which a change by the page itself has made stale. */
  readonly forget: () => void;
}

interface Further<Item> {
  readonly path: string;
  readonly items: readonly Item[];
  readonly nextCursor: string;
}

/**
 * @param path of the list, with its filters. After a change of filters, the old list stays until the new one is read.
 * @param everyMs see `useLive`
 * @param keyOf the key of an item, which differs from that of all others in the list
 */
export function usePages<Item>(path: string, everyMs?: number, keyOf: (item: Item) => string = idOf): Pages<Item> {
  const asked = useLive<Page<Item>>(path, everyMs);
  const last = useRef(asked);
  useEffect(() => {
    if (asked.data !== undefined) last.current = asked;
  }, [asked]);
  const isWaiting = asked.data === undefined && asked.error === null;
  const first = isWaiting ? last.current : asked;
  const [read, setRead] = useState<Further<Item> | null>(null);
  const further = read?.path === path ? read : null;
  const shownPath = useRef<string | null>(null);
  useEffect(() => {
    shownPath.current = path;
    return () => void (shownPath.current = null);
  }, [path]);
  const data = first.data?.data ?? [];
  const known = new Set(data.map(keyOf));
  const nextCursor = further?.nextCursor ?? first.data?.page.nextCursor ?? '';
  const shown = (later: readonly Item[]) => [...data, ...later.filter((item) => !known.has(keyOf(item)))];
  const readAfter = async ({ items, nextCursor }: Omit<Further<Item>, 'path'>): Promise<Further<Item>> => {
    const page = await call<Page<Item>>('GET', `${path}&cursor=${encodeURIComponent(nextCursor)}`);
    return { path, items: [...items, ...page.data], nextCursor: page.page.nextCursor };
  };
  // React renders the longer list in slices between frames, so that scrolling stays smooth on a slow processor.
  const showSoon = (next: Further<Item>) => startTransition(() => setRead(next));
  const pagesSoFar = { items: further?.items ?? [], nextCursor };
  return {
    path,
    first,
    items: shown(pagesSoFar.items),
    more: isWaiting || nextCursor === '' ? null : async () => showSoon(await readAfter(pagesSoFar)),
    all: async () => {
      let pages: Omit<Further<Item>, 'path'> = pagesSoFar;
      while (pages.nextCursor !== '') {
        const next = await readAfter(pages);
        if (shownPath.current !== path) return null;
        pages = next;
        showSoon(next);
      }
      return shown(pages.items);
    },
    forget: () => setRead(null),
  };
}

function idOf(item: unknown): string {
  return (item as { readonly id: string }).id;
}
