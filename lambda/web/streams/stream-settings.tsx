// The part “Settings” of a stream: its name, destination, and format.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { framerates, qualities } from '../../domain/shared/video-format.ts';
import { call } from '../app/api.ts';
import { refresh, show, useLive } from '../app/live-data.ts';
import type { Destination, ManagedSettings, Page, Stream } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { words } from '../words/en.ts';
import { framerateWords, qualityWords } from './format-words.ts';

export function StreamSettings({ stream }: { readonly stream: Stream }): ReactNode {
  const locked = isLive(stream.state);
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{words.stream.settings}</h2>
      {locked && <p className="hint">{words.stream.lockedWhileLive}</p>}
      <Fields stream={stream} isLocked={locked} />
    </section>
  );
}

const hourSeconds = 3600;

type Redundancy = keyof typeof words.stream.redundancies;

function redundancyOf({ agentModeEnabled, runBackupStream }: Stream): Redundancy {
  if (!agentModeEnabled) return 'none';
  return runBackupStream ? 'backup' : 'zones';
}

/** The settings of a request, by the fields of the form. A locked form has only some. */
function settingsOf({ redundancy, streamDurationHours, ...fields }: Readonly<Record<string, string>>) {
  const texts = Object.entries(fields).map(([name, value]) => [name, value === '' ? null : value]);
  const { managedSettingsID } = fields;
  return {
    ...(Object.fromEntries(texts) as Record<string, string | null>),
    ...(managedSettingsID !== undefined && { streamDestination: managedSettingsID === '' ? null : 'managed' }),
    ...(redundancy !== undefined && {
      agentModeEnabled: redundancy !== 'none' || null,
      runBackupStream: redundancy === 'backup' || null,
    }),
    ...(streamDurationHours !== undefined && {
      streamDuration: Math.round(Number(streamDurationHours) * hourSeconds) || null,
    }),
  };
}

function Fields({ stream, isLocked }: { readonly stream: Stream; readonly isLocked: boolean }): ReactNode {
  const [isSaved, setSaved] = useState(false);
  const { data: destinations } = useLive<Page<Destination>>('/destinations?limit=100');
  const { data: managed } = useLive<Page<ManagedSettings>>('/managed-settings?limit=50');
  const save = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    setSaved(false);
    // Unchanged settings are not sent, because another user may have changed them meanwhile.
    const changes = Object.fromEntries(
      Object.entries(settingsOf(fields)).filter(([name, value]) => value !== (stream[name as keyof Stream] || null)),
    );
    show(`/streams/${stream.id}`, await call('PATCH', `/streams/${stream.id}`, changes));
    refresh('/streams');
    setSaved(true);
  };
  if (!destinations) return null;
  // The form is reset when the settings change elsewhere, so that it never shows or saves outdated values.
  const { name: ownName, destinationID, managedSettingsID, quality, framerate, videoCodec, streamBackend } = stream;
  const { agentModeEnabled, runBackupStream, streamDuration } = stream;
  const format = [quality, framerate, videoCodec, streamBackend];
  const run = [agentModeEnabled, runBackupStream, streamDuration];
  const shown = JSON.stringify([ownName, destinationID, managedSettingsID, format, run]);
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
      <p role="status">{isSaved && words.saved}</p>
    </>
  );
}
