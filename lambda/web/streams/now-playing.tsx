// The item that a stream plays now.
import { Music2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLive } from '../app/live-data.ts';
import { useNow } from '../app/now.ts';
import type { Page, TimelineRow } from '../app/types.ts';

const everyMs = 15_000;

/** The title and artist of a row, or else its name. */
export function titleOf({ name, title, artist }: Pick<TimelineRow, 'name' | 'title' | 'artist'>): string {
  const known = title ?? withoutExtension(name ?? '');
  return artist === null ? known : `${known} – ${artist}`;
}

function withoutExtension(name: string): string {
  return name.replace(/\.[A-Za-z0-9]{2,4}$/u, '');
}

export function NowPlaying({ streamID }: { readonly streamID: string }): ReactNode {
  const { data } = useLive<Page<TimelineRow>>(`/streams/${streamID}/timeline?limit=3`, everyMs);
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
