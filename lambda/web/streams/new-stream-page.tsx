// A new stream on one page. The first choice creates it, so a reload loses nothing.
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Framerate, Quality } from '../../domain/shared/video-format.ts';
import { call } from '../app/api.ts';
import type { ScreenProps } from '../app/screen.ts';
import { refresh, show, useLive } from '../app/live-data.ts';
import { navigate, useParameter } from '../app/router.tsx';
import type { Destination, Page, Playlist, Stream } from '../app/types.ts';
import { DestinationForm } from '../destinations/destination-form.tsx';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { words } from '#words';
import { ChosenMedia } from './chosen-media.tsx';
import { DraftStream } from './draft-stream.ts';
import type { StreamChanges } from './draft-stream.ts';
import { LookTemplates } from './look-templates.tsx';
import { usePrice } from './price.ts';
import { Readiness, useReadiness } from './readiness.tsx';
import { useFormatOptions } from './use-format-options.ts';
import { toDestination, WhereTo } from './where-to.tsx';
import type { Place } from './where-to.tsx';

interface CardProps {
  readonly onChoose: (changes: StreamChanges) => Promise<void>;
}

export function NewStreamPage({ id }: ScreenProps): ReactNode {
  const { data: stream } = useLive<Stream>(id === '' ? null : `/streams/${id}`);
  const given = useParameter('upload');
  const [draft] = useState(() => new DraftStream(id === '' ? null : id));
  const choose = (changes: StreamChanges) => draft.change(changes);
  return (
    <div className="screen narrow steps">
      <h1>{words.make.title}</h1>
      <ChosenMedia draft={draft} stream={stream ?? null} given={given} />
      <DestinationCard stream={stream ?? null} onChoose={choose} />
      {stream && <LookCard stream={stream} onChoose={choose} />}
      <QualityCard quality={stream?.quality ?? null} framerate={stream?.framerate ?? null} onChoose={choose} />
      <LiveCard stream={stream ?? null} onChoose={choose} />
    </div>
  );
}

function DestinationCard({ stream, onChoose }: CardProps & { readonly stream: Stream | null }): ReactNode {
  const { data: destinations } = useLive<Page<Destination>>('/destinations?limit=100');
  const [isNew, setNew] = useState(false);
  const place = stream ?? toDestination(null);
  const choose = (chosen: Place): void => {
    setNew(false);
    void onChoose(chosen);
  };
  return (
    <section aria-labelledby="destination">
      <h2 id="destination">{words.make.destination}</h2>
      <p className="hint">{words.make.destinationText}</p>
      <WhereTo place={place} onPlace={choose} onAnother={() => setNew(true)} isAnother={isNew} />
      {destinations && (isNew || (destinations.data.length === 0 && place.streamDestination === null)) && (
        <DestinationForm
          onMade={({ id }) => {
            refresh('/destinations');
            choose(toDestination(id));
          }}
        />
      )}
    </section>
  );
}

function LookCard({ stream, onChoose }: CardProps & { readonly stream: Stream }): ReactNode {
  const { data: playlists } = useLive<Page<Playlist>>(`/playlists?limit=100&streamID=${stream.id}`);
  const hasMusic = playlists?.data.some(({ kind }) => kind === 'audio') ?? false;
  return (
    <section aria-labelledby="look">
      <h2 id="look">{words.make.look}</h2>
      <LookTemplates stream={stream} hasMusic={hasMusic} onChoose={(changes) => void onChoose(changes)} />
    </section>
  );
}

function QualityCard({
  quality,
  framerate,
  onChoose,
}: CardProps & { readonly quality: Quality | null; readonly framerate: Framerate | null }): ReactNode {
  const options = useFormatOptions();
  return (
    <section aria-labelledby="quality">
      <h2 id="quality">{words.make.quality}</h2>
      <p className="hint">{words.make.qualityText}</p>
      <div className="in-row form">
        <Choice
          name="quality"
          label={words.stream.quality}
          value={quality ?? ''}
          options={options.qualities}
          onChange={(value) => void onChoose({ quality: (value || null) as Quality | null })}
        />
        <Choice
          name="framerate"
          label={words.stream.framerate}
          value={framerate ?? ''}
          options={options.framerates}
          onChange={(value) => void onChoose({ framerate: (value || null) as Framerate | null })}
        />
      </div>
      <p>{words.make.price(usePrice(quality, framerate))}</p>
    </section>
  );
}

function LiveCard({ stream, onChoose }: CardProps & { readonly stream: Stream | null }): ReactNode {
  const readiness = useReadiness(stream?.id ?? null);
  const missing = [
    ...(stream?.videoUploadObjectID || stream?.playlistIDs.length ? [] : [words.make.needsFile]),
    ...(stream?.destinationID || stream?.managedSettingsID ? [] : [words.make.needsDestination]),
  ];
  const go = async ({ name }: Readonly<Record<string, string>>): Promise<void> => {
    if (stream === null) return;
    if (name !== (stream.name ?? '')) await onChoose({ name: name === '' ? null : name! });
    show(`/streams/${stream.id}`, await call<Stream>('POST', `/streams/${stream.id}/start`));
    navigate(`/streams/${stream.id}`);
  };
  return (
    <section aria-labelledby="live">
      <h2 id="live">{words.make.live}</h2>
      {missing.length > 0 && (
        <p role="status">
          {words.make.needs}: {missing.join(', ')}
        </p>
      )}
      {missing.length === 0 && stream !== null && <Readiness streamID={stream.id} />}
      {missing.length === 0 && readiness?.ready && <p role="status">{words.make.ready}</p>}
      <Form action={words.make.go} onSubmit={go} isDisabled={missing.length > 0 || !readiness?.ready}>
        <Field name="name" label={words.make.name} required={false} maxLength={255} autoComplete="off" />
      </Form>
    </section>
  );
}
