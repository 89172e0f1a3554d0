// The source of a stream's pictures or of its music: one file that loops, or a playlist.
import { ListMusic, ListVideo, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { call } from '../app/api.ts';
import { formatDuration } from '../app/format.ts';
import { refresh, show, useLive } from '../app/live-data.ts';
import { Link, navigate } from '../app/router.tsx';
import type { Page, Playlist, Stream, Upload } from '../app/types.ts';
import { Failure, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { makePlaylist } from './draft-stream.ts';
import { UploadChoice } from './upload-choice.tsx';

interface TrackSourceProps {
  readonly stream: Stream;
  readonly kind: Playlist['kind'];
  /** The playlists of the stream, of both kinds. */
  readonly playlists: readonly Playlist[];
}

const uploadFields = { video: 'videoUploadObjectID', audio: 'audioUploadObjectID' } as const;

async function change(streamID: string, changes: object): Promise<void> {
  show(`/streams/${streamID}`, await call('PATCH', `/streams/${streamID}`, changes));
  refresh('/playlists');
  refresh('/streams');
}

export function TrackSource({ stream, kind, playlists }: TrackSourceProps): ReactNode {
  const playlist = playlists.find((each) => each.kind === kind && stream.playlistIDs.includes(each.id));
  const isLocked = isLive(stream.state);
  const { [uploadFields[kind]]: uploadID } = stream;
  return (
    <section aria-labelledby={`track-${kind}`}>
      <h2 id={`track-${kind}`}>{words.tracks[kind].title}</h2>
      {playlist ? <PlaylistRow playlist={playlist} /> : <File stream={stream} kind={kind} uploadID={uploadID} />}
      {isLocked && !playlist && <p className="hint">{words.tracks.locked}</p>}
      {!isLocked && <Change stream={stream} kind={kind} playlists={playlists} playlist={playlist ?? null} />}
    </section>
  );
}

function PlaylistRow({ playlist }: { readonly playlist: Playlist }): ReactNode {
  const Icon = playlist.kind === 'video' ? ListVideo : ListMusic;
  const { items, durationSeconds } = playlist.draft;
  return (
    <Link href={`/playlists/${playlist.id}`} className="source">
      <Icon aria-hidden />
      <span>
        <strong>{playlist.name ?? words.playlists.one}</strong>
        <span className="hint">
          {words.playlists.items(items.length)} · {formatDuration(durationSeconds)} ·{' '}
          {words.playlists.modes[playlist.mode]}
        </span>
      </span>
      <span className="button">{words.playlists.edit}</span>
    </Link>
  );
}

interface FileProps {
  readonly stream: Stream;
  readonly kind: Playlist['kind'];
  readonly uploadID: string | null;
}

function File({ stream, kind, uploadID }: FileProps): ReactNode {
  const { data: upload } = useLive<Upload>(uploadID === null ? null : `/uploads/${uploadID}`);
  const { attempt: choose, error } = useAttempt((id: string | null) => change(stream.id, { [uploadFields[kind]]: id }));
  return (
    <>
      <p className="hint">{uploadID === null ? words.tracks[kind].none : words.tracks.loops}</p>
      {upload?.thumbnailURL && (
        <span className="still">
          <img src={upload.thumbnailURL} alt="" />
        </span>
      )}
      {isLive(stream.state) ? (
        <strong>{upload?.name}</strong>
      ) : (
        <UploadChoice
          name={uploadFields[kind]}
          label={words.tracks[kind].file}
          none={words.none}
          query="probeState=completed"
          isOffered={({ type }) => (kind === 'audio' ? type !== 'image' : type !== 'audio')}
          uploadID={uploadID}
          onChange={(id) => void choose(id)}
        />
      )}
      <Failure error={error} />
    </>
  );
}

interface ChangeProps extends TrackSourceProps {
  /** Null: the stream has no playlist of the kind. */
  readonly playlist: Playlist | null;
}

/** A new playlist, which begins with the file that loops now, or one that exists. */
function Change({ stream, kind, playlists, playlist }: ChangeProps): ReactNode {
  const { [uploadFields[kind]]: uploadID, id } = stream;
  const { attempt: make, error } = useAttempt(async () => {
    const made = await makePlaylist(id, kind);
    if (uploadID !== null)
      await call('POST', `/playlists/${made.id}/operations`, { operations: [{ op: 'add', uploadID }] });
    refresh('/playlists?');
    refresh(`/streams/${id}`);
    navigate(`/playlists/${made.id}`);
  });
  const others = playlists.filter((each) => each.id !== playlist?.id);
  const keptIDs = stream.playlistIDs.filter((each) => others.some((other) => other.id === each));
  return (
    <>
      {playlist === null && (
        <p>
          <button type="button" onClick={() => void make()}>
            <Plus aria-hidden />
            {words.tracks[kind].make}
          </button>
        </p>
      )}
      {playlist !== null && (
        <p>
          <button type="button" className="link" onClick={() => void change(id, { playlistIDs: keptIDs })}>
            {words.tracks.leave}
          </button>
        </p>
      )}
      <Failure error={error} />
      <TakeUp stream={stream} kind={kind} keptIDs={keptIDs} />
    </>
  );
}

interface TakeUpProps {
  readonly stream: Stream;
  readonly kind: Playlist['kind'];
  /** The playlists of the other kind. */
  readonly keptIDs: readonly string[];
}

/** The choice of an existing playlist. Playlists with their items are large, so they are read once it is opened. */
function TakeUp(props: TakeUpProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.playlists.takeUp}</summary>
      {isOpen && <PlaylistChoice {...props} />}
    </details>
  );
}

function PlaylistChoice({ stream, kind, keptIDs }: TakeUpProps): ReactNode {
  const { data: all } = useLive<Page<Playlist>>('/playlists?limit=100');
  if (!all) return null;
  const others = all.data.filter((playlist) => playlist.kind === kind && !stream.playlistIDs.includes(playlist.id));
  if (others.length === 0) return <p className="hint">{words.tracks.noOther}</p>;
  const use = ({ playlistID }: Readonly<Record<string, string>>) =>
    change(stream.id, { playlistIDs: [...keptIDs, playlistID] });
  return (
    <Form action={words.playlists.use} onSubmit={use}>
      <Choice
        name="playlistID"
        label={words.playlists.one}
        options={others.map((each) => [each.id, each.name ?? words.playlists.one] as const)}
      />
      <p className="hint">{words.playlists.takeUpHint}</p>
    </Form>
  );
}
