// The items that a stream plays from now on, and the one that it plays now.
import { Music2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLive } from '../app/live-data.ts';
import type { Live } from '../app/live-data.ts';
import { useNow } from '../app/now.ts';
import type { Page, TimelineRow } from '../app/types.ts';

/** The number of items that are shown at most. */
export const mostComing = 5;
/** A reading may plan, which counts against the user's planning. The items known by then last that long. */
const everyMs = 30_000;

/** The path of the items of a stream from now on, for `useComing`. One more is read, as the first may be over. */
export const comingPath = (streamID: string) => `/streams/${streamID}/timeline?limit=${mostComing + 1}`;

export function useComing(streamID: string): Live<Page<TimelineRow>> {
  return useLive(comingPath(streamID), everyMs);
}

/** The title and artist of a row, or else its name. */
export function titleOf({ name, title, artist }: Pick<TimelineRow, 'name' | 'title' | 'artist'>): string {
  const known = title ?? withoutExtension(name ?? '');
  return artist === null ? known : `${known} – ${artist}`;
}

function withoutExtension(name: string): string {
  return name.replace(/\.[A-Za-z0-9]{2,4}$/u, '');
}

export function NowPlaying({ streamID }: { readonly streamID: string }): ReactNode {
  const { data } = useComing(streamID);
  const now = useNow();
  const row = data?.data.find(({ endAt }) => Date.parse(endAt) > now);
  if (!row) return null;
  return (
    <span className="playing">
      <Music2 aria-hidden />
      <span>{titleOf(row)}</span>
    </span>
  );
}
