// The rare actions on a playlist: another name, a copy into another playlist, and the deletion.
import { Copy, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { maxPlaylistName } from '../../domain/playout/playlist-words.ts';
import { call } from '../app/api.ts';
import { refresh, useLive } from '../app/live-data.ts';
import { navigate } from '../app/router.tsx';
import type { Page, Playlist } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { ActionsMenu } from '../kit/actions-menu.tsx';
import { Question } from '../kit/ask.tsx';
import { Choice } from '../kit/choice.tsx';
import { Dismiss, Sheet } from '../kit/sheet.tsx';
import { words } from '#words';
import { playlistWords } from '#words/playlist.ts';

interface ActionProps {
  readonly playlist: Playlist;
  readonly onClose: () => void;
}

export function MoreActions({ playlist }: { readonly playlist: Playlist }): ReactNode {
  const [open, setOpen] = useState<'name' | 'copy' | 'removal' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <ActionsMenu
        label={words.stream.more}
        actions={[
          { icon: Pencil, name: words.playlists.rename, onAction: () => setOpen('name') },
          {
            icon: Copy,
            name: playlistWords.copyTo,
            isDisabled: playlist.draft.items.length === 0,
            onAction: () => setOpen('copy'),
          },
          { icon: Trash2, name: words.playlists.remove, onAction: () => setOpen('removal') },
        ]}
      />
      {open === 'name' && <NewName playlist={playlist} onClose={close} />}
      {open === 'copy' && <CopyInto playlist={playlist} onClose={close} />}
      <Removal playlist={playlist} isOpen={open === 'removal'} onClose={close} />
    </>
  );
}

function NewName({ playlist: { id, name }, onClose }: ActionProps): ReactNode {
  const rename = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    await call('PATCH', `/playlists/${id}`, { name: fields['name'] });
    refresh('/playlists');
    onClose();
  };
  return (
    <Sheet title={words.playlists.rename} isOpen onClose={onClose}>
      <Form action={words.save} onSubmit={rename} beside={<Dismiss onClose={onClose} />}>
        <Field name="name" label={words.playlists.name} defaultValue={name ?? ''} maxLength={maxPlaylistName} />
      </Form>
    </Sheet>
  );
}

/** Copies the draft into another playlist of its kind that has no items yet. */
function CopyInto({ playlist: { id, kind }, onClose }: ActionProps): ReactNode {
  const { data: playlists } = useLive<Page<Playlist>>('/playlists?limit=100');
  const targets = (playlists?.data ?? []).filter(
    (each) => each.kind === kind && each.id !== id && each.draft.items.length === 0,
  );
  const copy = async ({ targetPlaylistID = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await call('POST', `/playlists/${id}/copy`, { targetPlaylistID });
    refresh('/playlists');
    navigate(`/playlists/${targetPlaylistID}`);
  };
  return (
    <Sheet title={playlistWords.copyTo} isOpen onClose={onClose}>
      <p className="hint">{targets.length === 0 ? playlistWords.noTarget : playlistWords.copyText}</p>
      {targets.length > 0 && (
        <Form action={playlistWords.copy} onSubmit={copy} beside={<Dismiss onClose={onClose} />}>
          <Choice
            name="targetPlaylistID"
            label={playlistWords.target}
            options={targets.map((each) => [each.id, each.name ?? words.playlists.one] as const)}
          />
        </Form>
      )}
    </Sheet>
  );
}

function Removal({ playlist: { id, name }, isOpen, onClose }: ActionProps & { readonly isOpen: boolean }): ReactNode {
  return (
    <Question
      isOpen={isOpen}
      onClose={onClose}
      action={words.playlists.remove}
      tone="grave"
      question={words.playlists.removeAsk(name ?? words.playlists.one)}
      explanation={words.playlists.removeText}
      refuse={words.playlists.kept}
      onYes={async () => {
        await call('DELETE', `/playlists/${id}`);
        refresh('/playlists?');
        refresh('/streams');
        navigate('/playlists');
      }}
    />
  );
}
