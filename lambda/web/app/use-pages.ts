// A list that is shown page by page: the first page is kept current, the others are read when they are asked for.
import { useEffect, useRef, useState } from 'react';
import { call } from './api.ts';
import { useLive } from './live-data.ts';
import type { Live } from './live-data.ts';
import type { Page } from './types.ts';

export interface Pages<Item> {
  readonly first: Live<Page<Item>>;
  /** Of all pages that were read, each item once. */
  readonly items: readonly Item[];
  /** Null where there is no more. */
  readonly more: (() => Promise<void>) | null;
}

interface Further<Item> {
  readonly path: string;
  readonly items: readonly Item[];
  readonly nextCursor: string;
}

/**
 * @param path of the list, with its filters; with other filters it begins anew, once their first page is there
 * @param everyMs as in `useLive`
 */
export function usePages<Item extends { readonly id: string }>(path: string, everyMs?: number): Pages<Item> {
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
  const known = new Set(data.map(({ id }) => id));
  const nextCursor = further?.nextCursor ?? first.data?.page.nextCursor ?? '';
  const more = async (): Promise<void> => {
    const page = await call<Page<Item>>('GET', `${path}&cursor=${encodeURIComponent(nextCursor)}`);
    setRead({ path, items: [...(further?.items ?? []), ...page.data], nextCursor: page.page.nextCursor });
  };
  return {
    first,
    items: [...data, ...(further?.items ?? []).filter(({ id }) => !known.has(id))],
    more: isWaiting || nextCursor === '' ? null : more,
  };
}
