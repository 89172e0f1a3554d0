// One playlist: its draft, which is edited step by step, and whether that is what streams play.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { playlistModes } from '../../domain/play-out.ts';
import { ApiError, call } from '../app/api.ts';
import { formatDuration } from '../app/format.ts';
import { refresh, show, useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { MoreButton } from '../app/more-button.tsx';
import type { ScreenProps } from '../app/screen.ts';
import type { Playlist, Upload } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Choice } from '../form.tsx';
import { words } from '../words/en.ts';
import type { Edit } from './edit.ts';
import { PlaylistItems } from './playlist-items.tsx';

export function PlaylistPage({ id }: ScreenProps): ReactNode {
  const path = `/playlists/${id}`;
  const live = useLive<Playlist>(path);
  if (live.error?.status === 404) return <p className="screen">{words.playlists.missing}</p>;
  return (
    <div className="screen">
      <Loaded live={live} path={path}>
        {(playlist) => <Shown playlist={playlist} />}
      </Loaded>
    </div>
  );
}

function Shown({ playlist }: { readonly playlist: Playlist }): ReactNode {
  const [error, setError] = useState<string | null>(null);
  const path = `/playlists/${playlist.id}`;
  /** Each edit names the version that it was made on: nobody undoes what somebody else has done meanwhile. */
  const attempt = async (operation: 'operations' | 'publish', body?: object): Promise<void> => {
    setError(null);
    try {
      show(path, await call<Playlist>('POST', `${path}/${operation}`, body));
      refresh('/playlists?');
    } catch (failure) {
      const isConflict = failure instanceof ApiError && failure.code === 'version_conflict';
      setError(isConflict ? words.playlists.conflict : (failure as Error).message);
      refresh(path);
    }
  };
  const edit = (...operations: readonly Edit[]) =>
    attempt('operations', { operations, expectedVersion: playlist.version });
  return (
    <>
      <div className="heading">
        <h1>{playlist.name ?? words.playlists.one}</h1>
        <button
          type="button"
          className="primary"
          disabled={isPlayed(playlist) || playlist.draft.items.length === 0}
          onClick={() => void attempt('publish')}
        >
          {words.playlists.publish}
        </button>
      </div>
      <p className="hint" role="status">
        {words.playlists.items(playlist.draft.items.length)} · {formatDuration(playlist.draft.durationSeconds)} ·{' '}
        {statusWords(playlist)}
      </p>
      {playlist.publishFailure && <p className="error">{playlist.publishFailure.detail}</p>}
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      <Choice
        name="mode"
        label={words.playlists.mode}
        value={playlist.mode}
        options={playlistModes.map((mode) => [mode, words.playlists.modes[mode]] as const)}
        onChange={(mode) => void edit({ op: 'setMode', mode })}
      />
      <PlaylistItems items={playlist.draft.items} onEdit={edit} />
      <LibraryPicker onAdd={(uploadID) => edit({ op: 'add', uploadID })} />
    </>
  );
}

/** Whether what is played is the draft. */
function isPlayed({ draft, live }: Playlist): boolean {
  if (live === null || live.mode !== draft.mode || live.items.length !== draft.items.length) return false;
  return live.items.every(({ id, uploadID }, index) => {
    const item = draft.items[index]!;
    return id === item.id && uploadID === item.uploadID;
  });
}

function statusWords(playlist: Playlist): string {
  if (playlist.publishStatus !== 'IDLE' && playlist.publishStatus !== 'FAILED') return words.playlists.publishing;
  return isPlayed(playlist) ? words.playlists.same : words.playlists.different;
}

function LibraryPicker({ onAdd }: { readonly onAdd: (uploadID: string) => Promise<void> }): ReactNode {
  const [search, setSearch] = useState('');
  const path = `/uploads?limit=20${search === '' ? '' : `&q=${encodeURIComponent(search)}`}`;
  const { first, items, more } = usePages<Upload>(path);
  return (
    <section aria-labelledby="library">
      <h2 id="library">{words.playlists.add}</h2>
      <label>
        <span className="hidden">{words.library.search}</span>
        <input
          type="search"
          placeholder={words.library.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </label>
      <Loaded live={first} path={path}>
        {() => (
          <ul className="rows">
            {items.map(({ id, name, durationSeconds }) => (
              <li key={id}>
                <span className="name">{name}</span>
                <span className="state">
                  <span className="hint">{durationSeconds !== null && formatDuration(durationSeconds)}</span>
                  <button type="button" aria-label={words.playlists.addOne(name)} onClick={() => void onAdd(id)}>
                    +
                  </button>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <MoreButton more={more} />
    </section>
  );
}
