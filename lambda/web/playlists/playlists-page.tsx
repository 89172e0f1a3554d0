// The list of playlists: the stream, the number of items and the duration of each.
import type { ReactNode } from 'react';
import { formatDuration } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { LongList } from '../app/long-list.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { Link } from '../app/router.tsx';
import type { Page, Playlist, Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { LibraryParts } from '../library/library-parts.tsx';
import { nameOf } from '../streams/stream-name.ts';
import { words } from '#words';

const path = '/playlists?limit=20';

export function PlaylistsPage(): ReactNode {
  const { first, items, more } = usePages<Playlist>(path);
  const { data: streams } = useLive<Page<Stream>>('/streams?limit=100');
  const streamName = new Map(streams?.data.map((stream) => [stream.id, nameOf(stream)]));
  const unknown = streams && !streams.page.hasMore ? words.playlists.withoutStream : '…';
  const ofStream = (id: string) => {
    const name = streamName.get(id);
    return name === undefined ? unknown : words.playlists.of(name);
  };
  return (
    <div className="screen">
      <h1>{words.playlists.title}</h1>
      <LibraryParts />
      <Loaded live={first} path={path}>
        {() => (
          <>
            {items.length === 0 && <p className="hint">{words.playlists.empty}</p>}
            <LongList items={items}>
              {({ id, name, streamID, draft }) => (
                <>
                  <div>
                    <Link href={`/playlists/${id}`}>
                      <strong>{name ?? words.playlists.one}</strong>
                    </Link>
                    <p className="hint">{ofStream(streamID)}</p>
                  </div>
                  <p className="hint">
                    {words.playlists.items(draft.items.length)} · {formatDuration(draft.durationSeconds)}
                  </p>
                </>
              )}
            </LongList>
          </>
        )}
      </Loaded>
      <MoreButton more={more} />
    </div>
  );
}
