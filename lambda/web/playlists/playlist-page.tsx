// One playlist: its draft, edited step by step, and the differences from the live version.
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { playlistModes } from '../../domain/playout/play-out.ts';
import type { PlaylistMode } from '../../domain/playout/play-out.ts';
import { Ask } from '../kit/ask.tsx';
import { formatDuration, formatMoment } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { Link } from '../app/router.tsx';
import type { ScreenProps } from '../app/screen.ts';
import type { Playlist, Stream } from '../app/types.ts';
import { Choice } from '../kit/choice.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { nameOf } from '../streams/stream-name.ts';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { differencesOf } from './differences.ts';
import type { Differences } from './differences.ts';
import { LibraryPicker } from './library-picker.tsx';
import { MoreActions } from './more-actions.tsx';
import { PlaylistItems } from './playlist-items.tsx';
import { useEdits } from './use-edits.ts';

const mostRemovedShown = 100;
/** The states in which a playlist may be published. */
const restingStatuses: ReadonlySet<string> = new Set(['IDLE', 'FAILED']);

export function PlaylistPage({ id }: ScreenProps): ReactNode {
  const path = `/playlists/${id}`;
  const live = useLive<Playlist>(path);
  if (live.error?.status === 404) return <NotFoundPage text={words.playlists.missing} />;
  return (
    <div className="screen">
      <Loaded live={live} path={path}>
        {(playlist) => <Shown playlist={playlist} />}
      </Loaded>
    </div>
  );
}

function Shown({ playlist: read }: { readonly playlist: Playlist }): ReactNode {
  const { shown: playlist, edit, publish, discard, error } = useEdits(read);
  const { draft, live } = playlist;
  const differences = useMemo(() => (live === null ? null : differencesOf(draft.items, live.items)), [draft, live]);
  const isPlayed = differences !== null && countOf(differences) === 0 && live?.mode === draft.mode;
  const { attempt: publishFrom, isPending } = useAttempt(publish);
  const isPublishing = isPending || !restingStatuses.has(playlist.publishStatus);
  const hasStream = playlist.streamID !== null;
  const played = words.playlists[isPlayed ? 'same' : 'different'];
  const state = isPublishing ? words.playlists.publishing : hasStream ? played : words.playlists.unused;
  return (
    <>
      <div className="heading">
        <h1>{playlist.name ?? words.playlists.one}</h1>
        <div className="state">
          {live !== null && !isPlayed && (
            <Ask
              action={words.playlists.discard}
              question={words.playlists.discardAsk}
              explanation={words.playlists.discardText}
              onYes={discard}
            />
          )}
          {playlist.live !== null && !isPlayed && draft.items.length > 0 && (
            <button type="button" disabled={isPublishing} onClick={() => void publishFrom('first')}>
              {words.playlists.publishFromFirst}
            </button>
          )}
          {hasStream && (
            <button
              type="button"
              className="primary"
              disabled={isPublishing || isPlayed || draft.items.length === 0}
              onClick={() => void publishFrom('continue')}
            >
              {words.playlists.publish}
            </button>
          )}
          <MoreActions playlist={playlist} />
        </div>
      </div>
      {playlist.streamID !== null && <OfStream id={playlist.streamID} />}
      <p className="hint" role="status">
        {words.playlists.items(draft.items.length)} · {formatDuration(draft.durationSeconds)} · {state}
        {playlist.takesOverAt !== null && ` ${words.playlists.takesOver(formatMoment(playlist.takesOverAt))}`}
      </p>
      {playlist.publishFailure && <p className="error">{playlist.publishFailure.detail}</p>}
      {differences !== null && <DraftAgainstLive differences={differences} />}
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      <Choice
        name="mode"
        label={words.playlists.mode}
        value={playlist.mode}
        options={playlistModes.map((mode) => [mode, words.playlists.modes[mode]] as const)}
        onChange={(mode) => edit({ op: 'setMode', mode: mode as PlaylistMode })}
      />
      <div className="beside-picker">
        <PlaylistItems
          items={draft.items}
          kind={playlist.kind}
          mode={playlist.mode}
          differences={differences}
          onEdit={edit}
        />
        <LibraryPicker kind={playlist.kind} onAdd={(uploadID) => edit({ op: 'add', uploadID })} />
      </div>
    </>
  );
}

function OfStream({ id }: { readonly id: string }): ReactNode {
  const { data: stream } = useLive<Stream>(`/streams/${id}`);
  if (!stream) return null;
  return (
    <p>
      <Link href={`/streams/${id}/programme`}>{words.playlists.of(nameOf(stream))}</Link>
    </p>
  );
}

const countOf = ({ added, moved, removed }: Differences) => added.size + moved.size + removed.length;

function DraftAgainstLive({ differences }: { readonly differences: Differences }): ReactNode {
  const { added, moved, removed } = differences;
  if (countOf(differences) === 0) return null;
  const summary = words.playlists.againstLive(added.size, moved.size, removed.length);
  if (removed.length === 0) return <p className="hint">{summary}</p>;
  return (
    <details>
      <summary>{summary}</summary>
      <ul className="rows">
        {removed.slice(0, mostRemovedShown).map(({ id, title, name }) => (
          <li key={id}>
            <span className="name">{title ?? name}</span>
            <span className="hint">{words.playlists.takenOut}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
