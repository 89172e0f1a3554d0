// The settings of a stream, the issues that block a start, and its deletion.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { framerates, qualities } from '../../domain/shared/video-format.ts';
import { call } from '../app/api.ts';
import { Ask } from '../app/ask.tsx';
import { refresh, show, useLive } from '../app/live-data.ts';
import { Link, navigate } from '../app/router.tsx';
import type { Destination, ManagedSettings, Page, Playlist, Stream } from '../app/types.ts';
import { Choice, Failure, Field, Form } from '../form.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '../words/en.ts';
import { framerateWords, qualityWords } from './format-words.ts';
import { Readiness } from './readiness.tsx';
import { nameOf } from './stream-name.ts';
import { UploadChoice } from './upload-choice.tsx';

export function StreamSettings({ stream }: { readonly stream: Stream }): ReactNode {
  const locked = isLive(stream.state);
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{words.stream.settings}</h2>
      {!locked && <Readiness streamID={stream.id} />}
      {locked && <p className="hint">{words.stream.lockedWhileLive}</p>}
      <PlaylistLinks stream={stream} isLocked={locked} />
      {!locked && <TakeUp stream={stream} />}
      <Fields stream={stream} isLocked={locked} />
      <Duplicate streamID={stream.id} />
      {!locked && (
        <p>
          <Ask
            action={words.stream.remove}
            tone="grave"
            question={words.stream.removeAsk(nameOf(stream))}
            explanation={words.stream.removeText}
            refuse={words.stream.kept}
            onYes={async () => {
              await call('DELETE', `/streams/${stream.id}`);
              refresh('/streams?');
              navigate('/streams');
            }}
          />
        </p>
      )}
    </section>
  );
}

/** A button that duplicates the stream and opens the copy. */
function Duplicate({ streamID }: { readonly streamID: string }): ReactNode {
  const { attempt: duplicate, error } = useAttempt(async () => {
    const { id } = await call<Stream>('POST', `/streams/${streamID}/duplicate`, {});
    refresh('/streams?');
    refresh('/playlists?');
    navigate(`/streams/${id}`);
  });
  return (
    <div>
      <button type="button" onClick={() => void duplicate()}>
        {words.stream.duplicate}
      </button>
      <Failure error={error} />
    </div>
  );
}

/** The playlists of a stream. If it has none, a button creates one from the media that the stream plays now. */
function PlaylistLinks({ stream, isLocked }: { readonly stream: Stream; readonly isLocked: boolean }): ReactNode {
  const { id, playlistIDs, videoUploadObjectID: uploadID } = stream;
  const { attempt: make, error } = useAttempt(async () => {
    const made = await call<Playlist>('POST', '/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
    if (uploadID !== null)
      await call('POST', `/playlists/${made.id}/operations`, { operations: [{ op: 'add', uploadID }] });
    refresh('/playlists?');
    refresh(`/streams/${id}`);
    navigate(`/playlists/${made.id}`);
  });
  if (playlistIDs.length > 0)
    return (
      <p>
        {playlistIDs.map((playlistID) => (
          <Link key={playlistID} className="button" href={`/playlists/${playlistID}`}>
            {words.playlists.edit}
          </Link>
        ))}
      </p>
    );
  if (isLocked) return null;
  return (
    <div>
      <button type="button" onClick={() => void make()}>
        {words.playlists.make}
      </button>
      {error !== null && <p className="error">{error}</p>}
    </div>
  );
}

/** The choice of an existing playlist. Playlists with their items are large, so they are read once it is opened. */
function TakeUp({ stream }: { readonly stream: Stream }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.playlists.takeUp}</summary>
      {isOpen && <PlaylistChoice stream={stream} />}
    </details>
  );
}

function PlaylistChoice({ stream: { id, playlistIDs } }: { readonly stream: Stream }): ReactNode {
  const { data: own } = useLive<Page<Playlist>>(`/playlists?limit=100&streamID=${id}`);
  const { data: all } = useLive<Page<Playlist>>('/playlists?limit=100');
  if (!own || !all) return null;
  const others = all.data.filter((playlist) => !playlistIDs.includes(playlist.id));
  if (others.length === 0) return <p className="hint">{words.playlists.empty}</p>;
  const use = async ({ playlistID }: Readonly<Record<string, string>>): Promise<void> => {
    const { kind } = others.find((playlist) => playlist.id === playlistID)!;
    const replaced = new Set(own.data.filter((playlist) => playlist.kind === kind).map((playlist) => playlist.id));
    const kept = playlistIDs.filter((each) => !replaced.has(each));
    show(`/streams/${id}`, await call('PATCH', `/streams/${id}`, { playlistIDs: [...kept, playlistID] }));
    refresh('/playlists');
    refresh('/streams');
  };
  return (
    <Form action={words.playlists.use} onSubmit={use} className="in-row">
      <Choice
        name="playlistID"
        label={words.playlists.one}
        options={others.map(
          (each) => [each.id, `${each.name ?? words.playlists.one} (${words.playlists.kinds[each.kind]})`] as const,
        )}
      />
      <p className="hint">{words.playlists.takeUpHint}</p>
    </Form>
  );
}

function VideoChoice({ uploadID }: { readonly uploadID: string | null }): ReactNode {
  const [chosen, setChosen] = useState(uploadID);
  return (
    <UploadChoice
      name="videoUploadObjectID"
      label={words.stream.video}
      none={words.none}
      query="probeState=completed"
      uploadID={chosen}
      onChange={setChosen}
    />
  );
}

function Fields({ stream, isLocked }: { readonly stream: Stream; readonly isLocked: boolean }): ReactNode {
  const [isSaved, setSaved] = useState(false);
  const { data: destinations } = useLive<Page<Destination>>('/destinations?limit=100');
  const { data: managed } = useLive<Page<ManagedSettings>>('/managed-settings?limit=50');
  const save = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    setSaved(false);
    // Unchanged settings are not sent, because another user may have changed them meanwhile.
    const changed = Object.entries(fields)
      .map(([name, value]) => [name, value === '' ? null : value] as const)
      .filter(([name, value]) => value !== (stream[name as keyof Stream] || null));
    const changes: Record<string, string | null> = Object.fromEntries(changed);
    if (changes['managedSettingsID'] !== undefined)
      changes['streamDestination'] = changes['managedSettingsID'] === null ? null : 'managed';
    show(`/streams/${stream.id}`, await call('PATCH', `/streams/${stream.id}`, changes));
    refresh('/streams');
    setSaved(true);
  };
  if (!destinations) return null;
  // The form is reset when the settings change elsewhere, so that it never shows or saves outdated values.
  const { name: ownName, videoUploadObjectID, destinationID, managedSettingsID, quality, framerate } = stream;
  const shown = JSON.stringify([ownName, videoUploadObjectID, destinationID, managedSettingsID, quality, framerate]);
  const named = (rows: readonly { readonly id: string; readonly name: string }[], own: string | null) => [
    ['', words.none] as const,
    ...rows.map(({ id, name }) => [id, name] as const),
    // A chosen object that is not among the first hundred stays selectable.
    ...(own !== null && rows.every(({ id }) => id !== own) ? [[own, own] as const] : []),
  ];
  return (
    <>
      <Form key={shown} action={words.save} onSubmit={save} className="in-row">
        <Field
          name="name"
          label={words.stream.name}
          defaultValue={stream.name ?? ''}
          required={false}
          maxLength={255}
        />
        {!isLocked && (
          <>
            {stream.playlistIDs.length === 0 && <VideoChoice uploadID={stream.videoUploadObjectID} />}
            <Choice
              name="destinationID"
              label={words.stream.destination}
              defaultValue={stream.destinationID ?? ''}
              options={named(destinations.data, stream.destinationID)}
            />
            {(managed?.data.length ?? 0) > 0 && (
              <Choice
                name="managedSettingsID"
                label={words.stream.managed}
                defaultValue={managedSettingsID ?? ''}
                options={named(managed!.data, managedSettingsID)}
              />
            )}
            <Choice
              name="quality"
              label={words.stream.quality}
              defaultValue={stream.quality ?? ''}
              options={[['', words.stream.byDefault], ...qualities.map((each) => [each, qualityWords(each)] as const)]}
            />
            <Choice
              name="framerate"
              label={words.stream.framerate}
              defaultValue={stream.framerate ?? ''}
              options={[
                ['', words.stream.byDefault],
                ...framerates.map((each) => [each, framerateWords(each)] as const),
              ]}
            />
          </>
        )}
      </Form>
      <p role="status">{isSaved && words.saved}</p>
    </>
  );
}
