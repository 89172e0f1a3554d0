// The part “Settings” of a stream: its name, destination, and format.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { call } from '../app/api.ts';
import { refresh, show } from '../app/live-data.ts';
import type { Stream } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { words } from '#words';
import { useFormatOptions } from './use-format-options.ts';
import { WhereTo } from './where-to.tsx';
import type { Place } from './where-to.tsx';

export function StreamSettings({ stream }: { readonly stream: Stream }): ReactNode {
  const locked = isLive(stream.state);
  const [isSaved, setSaved] = useState(false);
  const save = async (settings: object): Promise<void> => {
    setSaved(false);
    // Unchanged settings are not sent, because another user may have changed them meanwhile.
    const changes = Object.entries(settings).filter(
      ([name, value]) => value !== (stream[name as keyof Stream] || null),
    );
    show(`/streams/${stream.id}`, await call('PATCH', `/streams/${stream.id}`, Object.fromEntries(changes)));
    refresh('/streams');
    setSaved(true);
  };
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{words.stream.settings}</h2>
      {locked && <Locked stream={stream} />}
      {/* The form is reset when the settings change elsewhere, so that it never shows or saves outdated values. */}
      <Fields key={keyOf(stream)} stream={stream} isLocked={locked} onSave={save} />
      <p role="status">{isSaved && words.saved}</p>
    </section>
  );
}

/** The format of a live stream, which cannot be changed. */
function Locked({ stream: { quality, framerate, streamBackend } }: { readonly stream: Stream }): ReactNode {
  const options = useFormatOptions();
  const facts = [
    [words.stream.quality, new Map(options.qualities).get(quality ?? '')],
    [words.stream.framerate, new Map(options.framerates).get(framerate ?? '')],
    [words.stream.backend, words.stream.backends[streamBackend ?? 'ffmpeg']],
  ];
  return (
    <>
      <p className="hint">{words.stream.lockedWhileLive}</p>
      <p>{facts.map((fact) => fact.join(': ')).join(' · ')}</p>
    </>
  );
}

/** The settings that the form shows, as one text. */
function keyOf(stream: Stream): string {
  const { name, destinationID, managedSettingsID, quality, framerate, videoCodec, streamBackend } = stream;
  const { agentModeEnabled, runBackupStream, streamDuration } = stream;
  const format = [quality, framerate, videoCodec, streamBackend];
  return JSON.stringify([
    name,
    destinationID,
    managedSettingsID,
    format,
    agentModeEnabled,
    runBackupStream,
    streamDuration,
  ]);
}

const hourSeconds = 3600;

type Redundancy = keyof typeof words.stream.redundancies;

function redundancyOf({ agentModeEnabled, runBackupStream }: Stream): Redundancy {
  if (!agentModeEnabled) return 'none';
  return runBackupStream ? 'backup' : 'zones';
}

/** The settings of a request, by the fields of the form. A locked form has only some. */
function settingsOf({ redundancy, streamDurationHours, ...fields }: Readonly<Record<string, string>>) {
  // The place has its own state: its option may be a channel, which is no field of a stream.
  const others = Object.entries(fields).filter(([name]) => name !== 'whereTo');
  const texts = others.map(([name, value]) => [name, value === '' ? null : value]);
  return {
    ...(Object.fromEntries(texts) as Record<string, string | null>),
    ...(redundancy !== undefined && {
      agentModeEnabled: redundancy !== 'none' || null,
      runBackupStream: redundancy === 'backup' || null,
    }),
    ...(streamDurationHours !== undefined && {
      streamDuration: Math.round(Number(streamDurationHours) * hourSeconds) || null,
    }),
  };
}

const placeFields = ({ destinationID, managedSettingsID, streamDestination }: Place): Place => ({
  destinationID,
  managedSettingsID,
  streamDestination,
});

interface FieldsProps {
  readonly stream: Stream;
  readonly isLocked: boolean;
  readonly onSave: (settings: object) => Promise<void>;
}

function Fields({ stream, isLocked, onSave }: FieldsProps): ReactNode {
  const [place, setPlace] = useState<Place>(stream);
  const { videoCodec, streamBackend, streamDuration } = stream;
  const options = useFormatOptions();
  const save = (fields: Readonly<Record<string, string>>) =>
    onSave({ ...settingsOf(fields), ...(!isLocked && placeFields(place)) });
  return (
    <Form action={words.save} onSubmit={save} className="in-row roomy">
      <Field name="name" label={words.stream.name} defaultValue={stream.name ?? ''} required={false} maxLength={255} />
      {!isLocked && (
        <>
          <WhereTo place={place} onPlace={setPlace} />
          <Choice
            name="quality"
            label={words.stream.quality}
            defaultValue={stream.quality ?? ''}
            options={options.qualities}
          />
          <Choice
            name="framerate"
            label={words.stream.framerate}
            defaultValue={stream.framerate ?? ''}
            options={options.framerates}
          />
          <Choice
            name="videoCodec"
            label={words.stream.codec}
            defaultValue={videoCodec ?? ''}
            options={[['', words.stream.usualCodec], ...Object.entries(words.stream.codecs)]}
          />
          <Choice
            name="streamBackend"
            label={words.stream.backend}
            defaultValue={streamBackend ?? 'ffmpeg'}
            options={Object.entries(words.stream.backends)}
          />
          <Choice
            name="redundancy"
            label={words.stream.redundancy}
            defaultValue={redundancyOf(stream)}
            options={Object.entries(words.stream.redundancies)}
          />
          <Field
            name="streamDurationHours"
            label={words.stream.duration}
            hint={words.stream.durationHint}
            type="number"
            min={0}
            step="any"
            defaultValue={(streamDuration ?? 0) / hourSeconds}
          />
        </>
      )}
    </Form>
  );
}
