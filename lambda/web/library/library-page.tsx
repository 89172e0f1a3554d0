// The library: uploads and imports, their findings, and the streams and playlists that use them.
import { useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import { Ask } from '../kit/ask.tsx';
import { formatBytes, formatDuration } from '../app/format.ts';
import { change } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { LongList } from '../app/long-list.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { Link, setParameter, useParameter } from '../app/router.tsx';
import { SearchField } from '../app/search-field.tsx';
import type { Upload } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Field, Form } from '../form.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '../words/en.ts';
import { Captions } from './captions.tsx';
import { chosenFiles, droppedFiles } from './dropped-files.ts';
import { LibraryParts } from './library-parts.tsx';
import { uploadQueue } from './upload-queue.ts';

export function LibraryPage(): ReactNode {
  const search = useParameter('q');
  const [isOver, setOver] = useState(false);
  const path = `/uploads?limit=50${search === '' ? '' : `&q=${encodeURIComponent(search)}`}`;
  const { first, items, more } = usePages<Upload>(path);
  const drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    setOver(false);
    uploadQueue.add(await droppedFiles(event.dataTransfer));
  };
  return (
    <div
      className="screen"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
    >
      <div className="heading">
        <h1>{words.library.title}</h1>
        <label className="button primary">
          {words.library.add}
          <input
            type="file"
            multiple
            className="hidden"
            accept="video/*,audio/*,image/*,.mkv,.ts,.flv,.mxf"
            onChange={(event) => uploadQueue.add(chosenFiles(event.target))}
          />
        </label>
      </div>
      <LibraryParts />
      <p className="hint">{words.library.dropHere}</p>
      <SearchField label={words.library.search} value={search} onSearch={(text) => setParameter('q', text)} />
      <Loaded live={first} path={path}>
        {() =>
          items.length === 0 ? (
            <p className="hint">{search === '' ? words.library.empty : words.library.nothingFits}</p>
          ) : (
            <LongList items={items}>{(upload) => <Row upload={upload} />}</LongList>
          )
        }
      </Loaded>
      <MoreButton more={more} />
      <ImportForm />
    </div>
  );
}

function Row({ upload }: { readonly upload: Upload }): ReactNode {
  const { playlists, streams, managedSettings } = upload.usedBy;
  const isUsed = playlists + streams + managedSettings > 0;
  const failure = upload.failure ?? upload.externalSource?.failure;
  const facts = [
    upload.folder === '' ? null : upload.folder,
    upload.durationSeconds === null ? null : formatDuration(upload.durationSeconds),
    upload.width === null ? null : `${upload.width} × ${upload.height}`,
    [upload.videoCodec, upload.audioCodec].filter((codec) => codec !== null).join(', ') || null,
    upload.fileSize === undefined ? null : formatBytes(upload.fileSize),
    isUsed ? words.library.usedBy(upload.usedBy) : words.library.unused,
  ].filter((fact) => fact !== null);
  return (
    <>
      {upload.thumbnailURL === null ? (
        <span className="thumbnail" />
      ) : (
        <img className="thumbnail" src={upload.thumbnailURL} alt="" width="96" height="54" loading="lazy" />
      )}
      <div>
        <strong className="name">{upload.name}</strong>
        <p className="hint">{facts.join(' · ')}</p>
        {failure && <p className="error">{failure.detail}</p>}
        <Findings findings={upload.findings} />
        {upload.type === 'video' && upload.probeState === 'completed' && <Captions upload={upload} />}
      </div>
      <div className="state">
        <span className="badge" data-tone={toneOf(upload)}>
          {stateWords(upload)}
        </span>
        {upload.probeState === 'failed' && <Retry upload={upload} />}
        {upload.probeState === 'completed' && (
          <Link className="button" href={`/streams/new?upload=${upload.id}`}>
            {words.library.stream}
          </Link>
        )}
        <Ask
          action={words.remove}
          tone="grave"
          question={words.library.removeAsk(upload.name)}
          explanation={isUsed ? words.library.removeUsed : words.library.removeText}
          onYes={() => change('DELETE', `/uploads/${upload.id}`, ['/uploads'])}
        />
      </div>
    </>
  );
}

/** The faults that viewers may notice, as far as the file is examined. */
function Findings({ findings }: Pick<Upload, 'findings'>): ReactNode {
  if (findings.length === 0) return null;
  return (
    <details>
      <summary>{words.library.findings(findings.length)}</summary>
      {findings.map(({ kind, startSeconds, detail }) => (
        <p key={`${kind} ${startSeconds}`} className="hint">
          {detail}
        </p>
      ))}
    </details>
  );
}

/** A button that fetches or examines a failed upload again. */
function Retry({ upload: { id, name } }: { readonly upload: Upload }): ReactNode {
  const { attempt: again, error } = useAttempt(() => change('POST', `/uploads/${id}/retry`, ['/uploads']));
  return (
    <>
      <button type="button" aria-label={words.library.retryOne(name)} onClick={() => void again()}>
        {words.retry}
      </button>
      <span role="alert">{error !== null && <span className="error">{error}</span>}</span>
    </>
  );
}

function stateWords({ uploaded, probeState, externalSource }: Upload): string {
  if (externalSource?.state === 'failed') return words.library.importFailed;
  if (externalSource && externalSource.state !== 'completed')
    return words.library.importing(formatBytes(externalSource.bytesReceived));
  return uploaded ? words.library.probe[probeState] : words.library.notThere;
}

function toneOf({ uploaded, probeState, externalSource }: Upload): string {
  if (probeState === 'failed' || externalSource?.state === 'failed') return 'wrong';
  if (probeState === 'completed') return 'quiet';
  return uploaded || externalSource ? 'moving' : 'quiet';
}

function ImportForm(): ReactNode {
  return (
    <section aria-labelledby="import">
      <h2 id="import">{words.library.link}</h2>
      <Form
        action={words.library.importIt}
        onSubmit={({ url }) => change('POST', '/uploads/import', ['/uploads'], { url })}
        isReset
        className="in-row"
      >
        <Field name="url" label={words.library.linkLabel} type="url" hint={words.library.linkHint} autoComplete="off" />
      </Form>
    </section>
  );
}
