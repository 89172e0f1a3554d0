// A list with pages: the first page is kept current, the others are read on request.
import { useEffect, useRef, useState } from 'react';
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
  const data = first.data?.data ?? [];
  const known = new Set(data.map(keyOf));
  const nextCursor = further?.nextCursor ?? first.data?.page.nextCursor ?? '';
  const more = async (): Promise<void> => {
    const page = await call<Page<Item>>('GET', `${path}&cursor=${encodeURIComponent(nextCursor)}`);
    setRead({ path, items: [...(further?.items ?? []), ...page.data], nextCursor: page.page.nextCursor });
  };
  return {
    path,
    first,
    items: [...data, ...(further?.items ?? []).filter((item) => !known.has(keyOf(item)))],
    more: isWaiting || nextCursor === '' ? null : more,
  };
}

function idOf(item: unknown): string {
  return (item as { readonly id: string }).id;
}
