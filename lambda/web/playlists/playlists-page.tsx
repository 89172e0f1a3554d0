// The list of playlists: the stream, the number of items and the duration of each, and a form to make one.
import { ListVideo, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { maxPlaylistName, playlistKinds } from '../../domain/playout/playlist-words.ts';
import { call } from '../app/api.ts';
import { formatDuration } from '../app/format.ts';
import { refresh, useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { LongList } from '../app/long-list.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { Link, navigate } from '../app/router.tsx';
import type { Page, Playlist, Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { Empty } from '../kit/empty.tsx';
import { FormButton } from '../kit/form-button.tsx';
import { LibraryParts } from '../library/library-parts.tsx';
import { nameOf } from '../streams/stream-name.ts';
import { words } from '#words';

const path = '/playlists?limit=20';

export function PlaylistsPage(): ReactNode {
  const { first, items, more } = usePages<Playlist>(path);
  const { data: streams } = useLive<Page<Stream>>('/streams?limit=100');
  const streamName = new Map(streams?.data.map((stream) => [stream.id, nameOf(stream)]));
  const unknown = streams && !streams.page.hasMore ? words.playlists.withoutStream : '…';
  const ofStream = (id: string | null) => {
    if (id === null) return words.playlists.noStream;
    const name = streamName.get(id);
    return name === undefined ? unknown : words.playlists.of(name);
  };
  return (
    <div className="screen">
      <div className="heading">
        <h1>{words.playlists.title}</h1>
        <NewPlaylist />
      </div>
      <LibraryParts />
      <Loaded live={first} path={path}>
        {() => (
          <>
            {items.length === 0 && (
              <Empty icon={<ListVideo aria-hidden />} title={words.playlists.empty} text={words.playlists.emptyText} />
            )}
            <LongList items={items}>
              {({ id, name, streamID, draft }) => (
                <>
                  <div>
                    <Link href={`/playlists/${id}`} className="title">
                      {name ?? words.playlists.one}
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

/** Makes a playlist that has no stream yet. */
function NewPlaylist(): ReactNode {
  const make = async ({ name, kind }: Readonly<Record<string, string>>): Promise<void> => {
    const mode = kind === 'audio' ? 'shuffle' : 'sequential';
    const { id } = await call<Playlist>('POST', '/playlists', { name, kind, mode });
    refresh('/playlists?');
    navigate(`/playlists/${id}`);
  };
  return (
    <FormButton action={words.playlists.makeNew} icon={<Plus aria-hidden />} tone="primary">
      {({ cancel }) => (
        <Form action={words.playlists.make} onSubmit={make} beside={cancel}>
          <Field name="name" label={words.playlists.name} maxLength={maxPlaylistName} autoComplete="off" />
          <Choice
            name="kind"
            label={words.playlists.kind}
            options={playlistKinds.map((kind) => [kind, words.playlists.kinds[kind]] as const)}
          />
        </Form>
      )}
    </FormButton>
  );
}
