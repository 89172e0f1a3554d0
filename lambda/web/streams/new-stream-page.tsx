// A new stream on one page. The first choice creates it, so a reload loses nothing.
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { framerates, qualities } from '../../domain/shared/video-format.ts';
import type { Framerate, Quality } from '../../domain/shared/video-format.ts';
import { call } from '../app/api.ts';
import type { ScreenProps } from '../app/screen.ts';
import { refresh, show, useLive } from '../app/live-data.ts';
import { navigate, replaceAddress, useParameter } from '../app/router.tsx';
import type { Destination, Page, Stream, Upload } from '../app/types.ts';
import { DestinationForm } from '../destinations/destination-form.tsx';
import { Choice, Field, Form } from '../form.tsx';
import { chosenFiles, droppedFiles } from '../library/dropped-files.ts';
import type { AddedFile } from '../library/dropped-files.ts';
import { uploadQueue } from '../library/upload-queue.ts';
import { useUploadTasks } from '../library/upload-tray.tsx';
import { words } from '../words/en.ts';
import { framerateWords, qualityWords } from './format-words.ts';
import { usePrice } from './price.ts';
import { Readiness } from './readiness.tsx';
import type { ReadinessAnswer } from './readiness.tsx';
import { UploadChoice } from './upload-choice.tsx';

type Changes = Partial<Pick<Stream, 'name' | 'videoUploadObjectID' | 'destinationID' | 'quality' | 'framerate'>>;

export function NewStreamPage({ id }: ScreenProps): ReactNode {
  const { data: stream } = useLive<Stream>(id === '' ? null : `/streams/${id}`);
  const given = useParameter('upload');
  /** Creates the stream with the first choice, and changes it with each later one. */
  const choose = async (changes: Changes): Promise<void> => {
    const changed = await (id === ''
      ? call<Stream>('POST', '/streams', changes)
      : call<Stream>('PATCH', `/streams/${id}`, changes));
    show(`/streams/${changed.id}`, changed);
    refresh('/streams?');
    refresh(`/streams/${changed.id}/readiness`);
    if (id === '') replaceAddress(`/streams/new/${changed.id}`);
  };
  return (
    <div className="screen narrow">
      <h1>{words.make.title}</h1>
      <FileCard chosen={stream?.videoUploadObjectID ?? null} given={given} onChoose={choose} />
      <DestinationCard chosen={stream?.destinationID ?? null} onChoose={choose} />
      <QualityCard quality={stream?.quality ?? null} framerate={stream?.framerate ?? null} onChoose={choose} />
      <LiveCard stream={stream ?? null} onChoose={choose} />
    </div>
  );
}

interface CardProps {
  readonly onChoose: (changes: Changes) => Promise<void>;
}

/** @param props.given id of the upload that the address names as the first choice */
function FileCard({
  chosen,
  given,
  onChoose,
}: CardProps & { readonly chosen: string | null; readonly given: string }): ReactNode {
  const [sending, setSending] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const { data: library } = useLive<Page<Upload>>('/uploads?limit=1');
  const { data: upload } = useLive<Upload>(chosen === null ? null : `/uploads/${chosen}`);
  const uploadID = useUploadTasks().find(({ key }) => key === sending)?.uploadID ?? (given === '' ? null : given);
  useEffect(() => {
    if (uploadID === null || uploadID === chosen) return;
    onChoose({ videoUploadObjectID: uploadID }).catch((failure: unknown) => setError((failure as Error).message));
    setSending(null);
    // oxlint-disable-next-line react/exhaustive-deps -- runs once for each upload
  }, [uploadID]);
  const add = (files: readonly AddedFile[]) => setSending(uploadQueue.add(files.slice(0, 1))[0] ?? null);
  return (
    <section
      aria-labelledby="file"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void droppedFiles(event.dataTransfer).then(add);
      }}
    >
      <h2 id="file">{words.make.file}</h2>
      <p className="hint">{words.make.fileText}</p>
      {upload && (
        <p role="status">
          <strong>{words.make.chosen(upload.name)}</strong>{' '}
          <span className="hint">{upload.uploaded ? words.library.probe[upload.probeState] : words.make.waiting}</span>
        </p>
      )}
      {upload?.failure && <p className="error">{upload.failure.detail}</p>}
      {error !== null && <p className="error">{error}</p>}
      <p>
        <label className="button">
          {words.make.choose}
          <input
            type="file"
            className="hidden"
            accept="video/*,audio/*,image/*,.mkv,.ts,.flv,.mxf"
            onChange={(event) => add(chosenFiles(event.target))}
          />
        </label>{' '}
        <span className="hint">{words.make.drop}</span>
      </p>
      {library && library.data.length > 0 && (
        <UploadChoice
          name="upload"
          label={words.make.library}
          none={words.none}
          uploadID={chosen}
          onChange={(videoUploadObjectID) => void onChoose({ videoUploadObjectID })}
        />
      )}
    </section>
  );
}

function DestinationCard({ chosen, onChoose }: CardProps & { readonly chosen: string | null }): ReactNode {
  const { data: destinations } = useLive<Page<Destination>>('/destinations?limit=100');
  const [isNew, setNew] = useState(false);
  const known = destinations?.data ?? [];
  return (
    <section aria-labelledby="destination">
      <h2 id="destination">{words.make.destination}</h2>
      <p className="hint">{words.make.destinationText}</p>
      {known.length > 0 && (
        <Choice
          name="destination"
          label={words.make.existing}
          value={isNew ? 'new' : (chosen ?? '')}
          options={[['', words.none], ...known.map(({ id, name }) => [id, name] as const), ['new', words.make.another]]}
          onChange={(value) => {
            setNew(value === 'new');
            if (value !== 'new') void onChoose({ destinationID: value === '' ? null : value });
          }}
        />
      )}
      {destinations && (isNew || known.length === 0) && (
        <DestinationForm
          onMade={({ id }) => {
            setNew(false);
            refresh('/destinations');
            void onChoose({ destinationID: id });
          }}
        />
      )}
    </section>
  );
}

function QualityCard({
  quality,
  framerate,
  onChoose,
}: CardProps & { readonly quality: Quality | null; readonly framerate: Framerate | null }): ReactNode {
  return (
    <section aria-labelledby="quality">
      <h2 id="quality">{words.make.quality}</h2>
      <p className="hint">{words.make.qualityText}</p>
      <div className="in-row form">
        <Choice
          name="quality"
          label={words.stream.quality}
          value={quality ?? ''}
          options={[['', words.stream.byDefault], ...qualities.map((each) => [each, qualityWords(each)] as const)]}
          onChange={(value) => void onChoose({ quality: (value || null) as Quality | null })}
        />
        <Choice
          name="framerate"
          label={words.stream.framerate}
          value={framerate ?? ''}
          options={[['', words.stream.byDefault], ...framerates.map((each) => [each, framerateWords(each)] as const)]}
          onChange={(value) => void onChoose({ framerate: (value || null) as Framerate | null })}
        />
      </div>
      <p>{words.make.price(usePrice(quality, framerate))}</p>
    </section>
  );
}

function LiveCard({ stream, onChoose }: CardProps & { readonly stream: Stream | null }): ReactNode {
  const { data } = useLive<ReadinessAnswer>(stream === null ? null : `/streams/${stream.id}/readiness`, 3000);
  const missing = [
    ...(stream?.videoUploadObjectID ? [] : [words.make.needsFile]),
    ...(stream?.destinationID ? [] : [words.make.needsDestination]),
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
      {missing.length === 0 && data?.ready && <p role="status">{words.make.ready}</p>}
      <Form action={words.make.go} onSubmit={go} isDisabled={missing.length > 0 || !data?.ready}>
        <Field name="name" label={words.make.name} required={false} maxLength={255} autoComplete="off" />
      </Form>
    </section>
  );
}
