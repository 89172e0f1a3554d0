// The details of an upload in a dialog: the file played, and its name, titles, folder and tags to change.
import { useEffect, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { call } from '../app/api.ts';
import { change } from '../app/live-data.ts';
import type { Upload } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Dismiss, Sheet } from '../kit/sheet.tsx';
import { words } from '#words';
import { ClipForm } from './clip-form.tsx';

interface UploadDetailsProps {
  readonly upload: Upload;
  readonly onClose: () => void;
}

export function UploadDetails({ upload, onClose }: UploadDetailsProps): ReactNode {
  const player = useRef<HTMLMediaElement>(null);
  const save = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const { name, title, artist, album, folder, tags = '' } = fields;
    const wished = {
      name,
      title: title || null,
      artist: artist || null,
      album: album || null,
      folder,
      tags: tags
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    };
    // Unchanged fields are not sent, because another user may have changed them meanwhile.
    const changed = Object.entries(wished).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(upload[field as keyof Upload]),
    );
    await change('PATCH', `/uploads/${upload.id}`, ['/uploads'], Object.fromEntries(changed));
    onClose();
  };
  return (
    <Sheet title={upload.name} isOpen onClose={onClose}>
      {upload.uploaded && <Playback upload={upload} player={player} />}
      <Form action={words.save} onSubmit={save} beside={<Dismiss onClose={onClose} />}>
        <Field name="name" label={words.library.name} defaultValue={upload.name} maxLength={255} />
        <Field name="title" label={words.library.titled} defaultValue={upload.title ?? ''} required={false} />
        <Field name="artist" label={words.library.artist} defaultValue={upload.artist ?? ''} required={false} />
        <Field name="album" label={words.library.album} defaultValue={upload.album ?? ''} required={false} />
        <Field
          name="folder"
          label={words.library.folder}
          hint={words.library.folderHint}
          defaultValue={upload.folder}
          required={false}
        />
        <Field
          name="tags"
          label={words.library.tags}
          hint={words.library.tagsHint}
          defaultValue={upload.tags.join(', ')}
          required={false}
        />
      </Form>
      {upload.type !== 'image' && upload.probeState === 'completed' && (
        <ClipForm upload={upload} now={() => player.current?.currentTime ?? 0} onMade={onClose} />
      )}
    </Sheet>
  );
}

interface PlaybackProps {
  readonly upload: Upload;
  readonly player: RefObject<HTMLMediaElement | null>;
}

/** The file itself, by an address that is valid for a while. */
function Playback({ upload: { id, name, type }, player }: PlaybackProps): ReactNode {
  const [url, setURL] = useState<string | null>(null);
  useEffect(() => {
    void call<{ readonly url: string }>('POST', `/uploads/${id}/download-url`).then(
      (answer) => setURL(answer.url),
      () => {},
    );
  }, [id]);
  if (url === null) return null;
  const hold = (element: HTMLMediaElement | null) => {
    player.current = element;
  };
  if (type === 'image') return <img className="played" src={url} alt={name} />;
  if (type === 'audio') return <audio ref={hold} className="played" src={url} controls aria-label={name} />;
  return <video ref={hold} className="played" src={url} controls playsInline aria-label={name} />;
}
