// One upload in the library: its cover, titles and facts, faults that viewers may notice, and its actions.
import { Image, Music2, Pencil, RadioTower, Trash2, Video } from 'lucide-react';
import { memo, useState } from 'react';
import type { ReactNode } from 'react';
import { formatBytes, formatDuration } from '../app/format.ts';
import { change } from '../app/live-data.ts';
import { navigate } from '../app/router.tsx';
import type { Upload } from '../app/types.ts';
import { ActionsMenu } from '../kit/actions-menu.tsx';
import { Question } from '../kit/ask.tsx';
import { Sheet } from '../kit/sheet.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { Captions } from './captions.tsx';
import { UploadDetails } from './upload-details.tsx';

interface UploadRowProps {
  readonly upload: Upload;
  readonly isSelected: boolean;
  /** The same function for all rows and renderings, so that only rows that differ are rendered again. */
  readonly onSelect: (id: string, isSelected: boolean) => void;
}

export const UploadRow = memo(function UploadRow({ upload, isSelected, onSelect }: UploadRowProps): ReactNode {
  const failure = upload.failure ?? upload.externalSource?.failure;
  return (
    <>
      <input
        type="checkbox"
        aria-label={words.library.select(upload.name)}
        checked={isSelected}
        onChange={(event) => onSelect(upload.id, event.target.checked)}
      />
      <Cover upload={upload} />
      <div>
        <strong className="name">{upload.title ?? upload.name}</strong>
        <p className="hint">{factsOf(upload).join(' · ')}</p>
        {failure && <p className="error">{failure.detail}</p>}
        <Findings findings={upload.findings} />
        {upload.type === 'video' && upload.probeState === 'completed' && <Captions upload={upload} />}
      </div>
      <div className="state">
        <span className="badge" data-tone={toneOf(upload)} data-usual={upload.probeState === 'completed'}>
          {stateWords(upload)}
        </span>
        {upload.probeState === 'failed' && <Retry upload={upload} />}
        <Actions upload={upload} />
      </div>
    </>
  );
});

/** Whether a playlist or settings of broadcasts have it, so that its deletion is refused. */
function isListed({ usedBy: { playlists, managedSettings } }: Upload): boolean {
  return playlists + managedSettings > 0;
}

function isUsed(upload: Upload): boolean {
  return isListed(upload) || upload.usedBy.streams > 0;
}

function factsOf(upload: Upload): readonly string[] {
  return [
    upload.artist,
    upload.title === null ? null : upload.name,
    upload.folder === '' ? null : upload.folder,
    upload.durationSeconds === null ? null : formatDuration(upload.durationSeconds),
    upload.width === null || upload.type === 'audio' ? null : `${upload.width} × ${upload.height}`,
    upload.fileSize === undefined ? null : formatBytes(upload.fileSize),
    ...upload.tags.map((tag) => `#${tag}`),
    isUsed(upload) ? words.library.usedBy(upload.usedBy) : words.library.unused,
  ].filter((fact) => fact !== null);
}

/** The artwork of a song, or the thumbnail of a video or picture. */
function Cover({ upload: { type, artworkURL, thumbnailURL } }: { readonly upload: Upload }): ReactNode {
  const url = type === 'audio' ? artworkURL : thumbnailURL;
  const Placeholder = { audio: Music2, video: Video, image: Image }[type];
  return (
    <span className="thumbnail">
      {url === null ? <Placeholder aria-hidden /> : <img src={url} alt="" width="96" height="54" loading="lazy" />}
    </span>
  );
}

function Actions({ upload }: { readonly upload: Upload }): ReactNode {
  const [open, setOpen] = useState<'details' | 'removal' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <ActionsMenu
        label={words.library.actionsOf(upload.name)}
        isGhost
        actions={[
          {
            icon: RadioTower,
            name: words.library.stream,
            isDisabled: upload.probeState !== 'completed',
            onAction: () => navigate(`/streams/new?upload=${upload.id}`),
          },
          { icon: Pencil, name: words.library.details, onAction: () => setOpen('details') },
          { icon: Trash2, name: words.remove, onAction: () => setOpen('removal') },
        ]}
      />
      {open === 'details' && <UploadDetails upload={upload} onClose={close} />}
      {open === 'removal' && <Removal upload={upload} onClose={close} />}
    </>
  );
}

/** The dialog that deletes a file, or has the reason why that is not possible. */
function Removal({ upload, onClose }: { readonly upload: Upload; readonly onClose: () => void }): ReactNode {
  const { id, name, usedBy } = upload;
  if (isListed(upload))
    return (
      <Sheet role="alertdialog" title={words.library.removeNot(name)} isOpen onClose={onClose} dismiss={words.close}>
        <p>{words.library.removeUsed}</p>
      </Sheet>
    );
  return (
    <Question
      isOpen
      onClose={onClose}
      action={words.remove}
      tone="grave"
      question={words.library.removeAsk(name)}
      explanation={usedBy.streams > 0 ? words.library.removeFromStreams : words.library.removeText}
      onYes={() => change('DELETE', `/uploads/${id}`, ['/uploads'])}
    />
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
