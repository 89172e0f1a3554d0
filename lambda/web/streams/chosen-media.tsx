// The pictures and the music of a new stream, and the ways to add to them: by drop, by a file field, from the library.
import { Image, Music2, Upload as UploadIcon, Video, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { formatDuration, formatShare } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import type { Page, Playlist, Stream, Upload } from '../app/types.ts';
import { chosenFiles, droppedFiles } from '../library/dropped-files.ts';
import type { AddedFile } from '../library/dropped-files.ts';
import { mediaTypeOf } from '../library/media-types.ts';
import { uploadQueue } from '../library/upload-queue.ts';
import { useUploadTasks } from '../library/upload-tray.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { withLogo } from './look-templates.tsx';
import type { DraftStream, TrackKind } from './draft-stream.ts';
import { UploadChoice } from './upload-choice.tsx';

interface ChosenMediaProps {
  readonly draft: DraftStream;
  /** Null: nothing is chosen yet. */
  readonly stream: Stream | null;
  /** ID of the upload that the address names as the first choice; empty: none. */
  readonly given: string;
}

export function ChosenMedia({ draft, stream, given }: ChosenMediaProps): ReactNode {
  const { add, addFiles, error } = useAdded(draft, given, stream !== null);
  const { data: playlists } = useLive<Page<Playlist>>(
    stream === null ? null : `/playlists?limit=100&streamID=${stream.id}`,
  );
  const playlistOf = (kind: TrackKind) => playlists?.data.find((each) => each.kind === kind) ?? null;
  return (
    <section aria-labelledby="media">
      <h2 id="media">{words.make.media}</h2>
      <Drop onFiles={addFiles} />
      <FromLibrary onAdd={add} />
      {error !== null && <p className="error">{error}</p>}
      <div className="columns">
        <Track
          kind="video"
          draft={draft}
          playlist={playlistOf('video')}
          uploadID={stream?.videoUploadObjectID ?? null}
          taken={() => draft.change({ videoUploadObjectID: null })}
          onLogo={(uploadID) => void draft.change({ look: withLogo(stream!.look, uploadID) })}
        />
        <Track kind="audio" draft={draft} playlist={playlistOf('audio')} uploadID={null} />
      </div>
    </section>
  );
}

/** Adds uploads to the stream, also those that are still sent: each one as soon as it has an id. */
function useAdded(draft: DraftStream, given: string, isMade: boolean) {
  /** By the key of the task. */
  const [sending, setSending] = useState<ReadonlyMap<string, TrackKind>>(new Map());
  const tasks = useUploadTasks();
  const { attempt: attach, error } = useAttempt((kind: TrackKind, uploadID: string) => draft.add(kind, uploadID));
  const { data: first } = useLive<Upload>(given === '' || isMade ? null : `/uploads/${given}`);
  const add = (upload: Upload) => void attach(upload.type === 'audio' ? 'audio' : 'video', upload.id);
  useEffect(() => {
    if (first) add(first);
    // oxlint-disable-next-line react/exhaustive-deps -- runs once, when the upload is known
  }, [first?.id]);
  useEffect(() => {
    const known = tasks.filter(({ key, uploadID }) => uploadID !== null && sending.has(key));
    if (known.length === 0) return;
    for (const { key, uploadID } of known) void attach(sending.get(key)!, uploadID!);
    setSending(new Map([...sending].filter(([key]) => known.every((each) => each.key !== key))));
    // oxlint-disable-next-line react/exhaustive-deps -- `attach` is another function at each rendering
  }, [tasks, sending]);
  const addFiles = (files: readonly AddedFile[]) => {
    const kinds = files.map(({ file }): TrackKind => (mediaTypeOf(file).startsWith('audio/') ? 'audio' : 'video'));
    const keys = uploadQueue.add(files);
    setSending((others) => new Map([...others, ...keys.map((key, index) => [key, kinds[index]!] as const)]));
  };
  return { add, addFiles, error };
}

function Drop({ onFiles }: { readonly onFiles: (files: readonly AddedFile[]) => void }): ReactNode {
  const [isOver, setOver] = useState(false);
  return (
    <div
      className="empty drop"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void droppedFiles(event.dataTransfer).then(onFiles);
      }}
    >
      <UploadIcon aria-hidden />
      <p>{words.make.drop}</p>
      <label className="button">
        {words.make.choose}
        <input
          type="file"
          multiple
          className="hidden"
          accept="video/*,audio/*,image/*,.mkv,.ts,.flv,.mxf"
          onChange={(event) => onFiles(chosenFiles(event.target))}
        />
      </label>
    </div>
  );
}

function FromLibrary({ onAdd }: { readonly onAdd: (upload: Upload) => void }): ReactNode {
  const { data: library } = useLive<Page<Upload>>('/uploads?limit=1');
  const [chosen, setChosen] = useState<string | null>(null);
  const { data: upload } = useLive<Upload>(chosen === null ? null : `/uploads/${chosen}`);
  useEffect(() => {
    if (!upload) return;
    onAdd(upload);
    setChosen(null);
    // oxlint-disable-next-line react/exhaustive-deps -- runs once for each choice
  }, [upload?.id]);
  if (!library || library.data.length === 0) return null;
  return (
    <UploadChoice
      name="upload"
      label={words.make.library}
      none={words.make.pick}
      uploadID={chosen}
      onChange={setChosen}
    />
  );
}

interface TrackProps {
  readonly kind: TrackKind;
  readonly draft: DraftStream;
  /** Null: there is none of this kind. */
  readonly playlist: Playlist | null;
  /** The file that loops without a playlist; null: none. */
  readonly uploadID: string | null;
  /** Takes the file that loops out of the stream. */
  readonly taken?: () => Promise<void>;
  /** Makes a picture the logo of the stream. */
  readonly onLogo?: (uploadID: string) => void;
}

function Track({ kind, draft, playlist, uploadID, taken, onLogo }: TrackProps): ReactNode {
  const { data: upload } = useLive<Upload>(playlist !== null || uploadID === null ? null : `/uploads/${uploadID}`);
  const items = playlist?.draft.items ?? [];
  const isEmpty = items.length === 0 && !upload;
  return (
    <div className="track">
      <h3>
        {words.tracks[kind].title}{' '}
        {items.length > 1 && <span className="hint">{words.playlists.items(items.length)}</span>}
      </h3>
      {isEmpty && <p className="hint">{words.make.nothing[kind]}</p>}
      <ul className="rows">
        {items.map((item) => (
          <Row
            key={item.id}
            uploadID={item.uploadID}
            name={item.name ?? '…'}
            kind={kind}
            onTake={() => void draft.take(playlist!.id, item.id)}
            {...(onLogo &&
              items.length > 1 && {
                onLogo: () => {
                  onLogo(item.uploadID);
                  void draft.take(playlist!.id, item.id);
                },
              })}
          />
        ))}
        {upload && taken && <Row uploadID={upload.id} name={upload.name} kind={kind} onTake={() => void taken()} />}
      </ul>
    </div>
  );
}

interface RowProps {
  readonly uploadID: string;
  readonly name: string;
  readonly kind: TrackKind;
  readonly onTake: () => void;
  /** Makes it the logo, if it is a picture. */
  readonly onLogo?: () => void;
}

function Row({ uploadID, name, kind, onTake, onLogo }: RowProps): ReactNode {
  const { data: upload } = useLive<Upload>(`/uploads/${uploadID}`);
  const task = useUploadTasks().find((each) => each.uploadID === uploadID && each.phase !== 'done');
  const Icon = kind === 'audio' ? Music2 : upload?.type === 'image' ? Image : Video;
  return (
    <li>
      {upload?.thumbnailURL && kind === 'video' ? (
        <img className="thumbnail" src={upload.thumbnailURL} alt="" width="96" height="54" />
      ) : (
        <Icon aria-hidden />
      )}
      <div>
        <span className="name">{upload?.title ?? name}</span>
        <p className="hint">
          {upload?.artist ?? ''}
          {upload?.artist && ' · '}
          {task ? formatShare(task.sentBytes / Math.max(1, task.size)) : upload && stateOf(upload)}
        </p>
        {upload?.failure && <p className="error">{upload.failure.detail}</p>}
      </div>
      {onLogo && upload?.type === 'image' && (
        <button type="button" onClick={onLogo}>
          {words.make.asLogo}
        </button>
      )}
      <button type="button" className="icon ghost" aria-label={words.make.take(name)} onClick={onTake}>
        <X aria-hidden />
      </button>
    </li>
  );
}

function stateOf({ durationSeconds, uploaded, probeState }: Upload): string {
  if (durationSeconds !== null && probeState === 'completed') return formatDuration(durationSeconds);
  return uploaded ? words.library.probe[probeState] : words.library.notThere;
}
