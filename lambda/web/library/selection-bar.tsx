// Actions on the selected uploads: into a playlist, into a folder, deletion.
import { FolderInput, ListPlus, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { refresh, useLive } from '../app/live-data.ts';
import { navigate } from '../app/router.tsx';
import type { Page, Playlist, Upload } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Question } from '../kit/ask.tsx';
import { Choice } from '../kit/choice.tsx';
import { Sheet } from '../kit/sheet.tsx';
import { words } from '#words';

interface SelectionBarProps {
  readonly uploads: readonly Upload[];
  /** Called after a change of the uploads, so that the list is read again. */
  readonly onChanged: () => void;
  /** Ends the selection. */
  readonly onDone: () => void;
}

/** The maximum number of operations in a request. */
const batchSize = 500;

async function inBatches(path: string, operations: readonly object[]): Promise<void> {
  for (let begin = 0; begin < operations.length; begin += batchSize)
    await call('POST', path, { operations: operations.slice(begin, begin + batchSize) });
}

type Action = 'playlist' | 'folder' | 'removal';

export function SelectionBar({ uploads, onChanged, onDone }: SelectionBarProps): ReactNode {
  const [action, setAction] = useState<Action | null>(null);
  const close = () => setAction(null);
  const batch = async (operations: readonly object[]): Promise<void> => {
    try {
      await inBatches('/uploads/batch', operations);
      onDone();
    } finally {
      // A refused batch may follow others.
      onChanged();
      refresh('/uploads');
    }
  };
  return (
    <div className="selection" role="region" aria-label={words.library.selection}>
      <strong role="status">{words.library.selected(uploads.length)}</strong>
      <button type="button" onClick={() => setAction('playlist')}>
        <ListPlus aria-hidden />
        {words.library.toPlaylist}
      </button>
      <button type="button" onClick={() => setAction('folder')}>
        <FolderInput aria-hidden />
        {words.library.toFolder}
      </button>
      <button type="button" className="grave" onClick={() => setAction('removal')}>
        <Trash2 aria-hidden />
        {words.remove}
      </button>
      <button type="button" className="icon ghost" aria-label={words.library.deselect} onClick={onDone}>
        <X aria-hidden />
      </button>
      <Sheet title={words.library.toPlaylist} isOpen={action === 'playlist'} onClose={close}>
        <ToPlaylist uploads={uploads} />
      </Sheet>
      <Sheet title={words.library.toFolder} isOpen={action === 'folder'} onClose={close}>
        <Form
          action={words.library.move}
          onSubmit={({ folder = '' }) => batch(uploads.map(({ id }) => ({ op: 'move', uploadID: id, folder })))}
        >
          <Field name="folder" label={words.library.folder} hint={words.library.folderHint} required={false} />
        </Form>
      </Sheet>
      <Question
        isOpen={action === 'removal'}
        onClose={close}
        action={words.remove}
        tone="grave"
        question={words.library.removeManyAsk(uploads.length)}
        explanation={words.library.removeManyText}
        onYes={() => batch(uploads.map(({ id }) => ({ op: 'delete', uploadID: id })))}
      />
    </div>
  );
}

function ToPlaylist({ uploads }: { readonly uploads: readonly Upload[] }): ReactNode {
  const { data: playlists } = useLive<Page<Playlist>>('/playlists?limit=100');
  if (!playlists) return null;
  if (playlists.data.length === 0) return <p className="hint">{words.playlists.empty}</p>;
  const add = async ({ playlistID }: Readonly<Record<string, string>>): Promise<void> => {
    const operations = uploads.map(({ id }) => ({ op: 'add', uploadID: id }));
    try {
      await inBatches(`/playlists/${playlistID}/operations`, operations);
    } finally {
      refresh('/playlists');
      refresh('/uploads');
    }
    navigate(`/playlists/${playlistID}`);
  };
  return (
    <Form action={words.library.addThem(uploads.length)} onSubmit={add}>
      <Choice
        name="playlistID"
        label={words.playlists.one}
        options={playlists.data.map(({ id, name, kind }) => [
          id,
          `${name ?? words.playlists.one} (${words.playlists.kinds[kind]})`,
        ])}
      />
    </Form>
  );
}
