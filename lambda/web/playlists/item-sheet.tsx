// A dialog with the sound and look of one item of a playlist, as far as they differ from those of its stream.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { pictureEffects, pictureJoinSeconds, usualLook } from '../../domain/playout/look.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import { joinSeconds, usualSound } from '../../domain/playout/sound.ts';
import { Form, NumberField } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { Dismiss, Sheet } from '../kit/sheet.tsx';
import { framingOptions, loudnessOptions, pictureJoinOptions, soundJoinOptions } from '../streams/look-options.ts';
import { words } from '#words';
import { lookWords } from '#words/look.ts';
import { playlistWords } from '#words/playlist.ts';
import type { Item } from './differences.ts';
import type { Edit } from './edit.ts';

interface ItemSheetProps {
  readonly item: Item;
  readonly kind: PlaylistKind;
  readonly onEdit: (edit: Edit) => void;
  readonly onClose: () => void;
}

type Join = { readonly kind: string; readonly seconds: number } | null;

const unchanged = 'unchanged';
const follow = ['', playlistWords.asStream] as const;

/** The settings that have values; null if none has one. */
function given(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null {
  const kept = Object.entries(settings).filter(([, value]) => value !== null && value !== undefined);
  return kept.length > 0 ? Object.fromEntries(kept) : null;
}

/** Choices without a value follow the stream. */
export function ItemSheet({ item, kind, onEdit, onClose }: ItemSheetProps): ReactNode {
  const { loudness = null, join: soundJoin = null } = item.sound ?? {};
  const { framing = null, join: pictureJoin = null } = item.look ?? {};
  const isVideo = kind === 'video';
  const [join, setJoin] = useState<Join>(isVideo ? pictureJoin : soundJoin);
  const save = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const level = fields['loudness'];
    const mode = fields['framing'];
    // Settings without a field here are kept.
    const sound = given({
      ...item.sound,
      loudness: level
        ? level === unchanged
          ? { enabled: false }
          : { enabled: true, targetLUFS: Number(level) }
        : null,
      join: isVideo ? soundJoin : join,
    });
    const look = given({
      ...item.look,
      framing: isVideo ? (mode ? { ...framing, mode } : null) : framing,
      join: isVideo ? join : pictureJoin,
    });
    onEdit({ op: 'set', itemID: item.id, sound, look });
    onClose();
  };
  return (
    <Sheet title={playlistWords.settings(item.title ?? item.name ?? '…')} isOpen onClose={onClose}>
      <p className="hint">{playlistWords.note}</p>
      <Form action={words.save} onSubmit={save} beside={<Dismiss onClose={onClose} />}>
        <Choice
          name="loudness"
          label={lookWords.loudness}
          defaultValue={loudness === null ? '' : loudness.enabled ? String(loudness.targetLUFS) : unchanged}
          options={[follow, ...loudnessOptions(loudness?.targetLUFS), [unchanged, lookWords.loudnessOff]]}
        />
        {isVideo && (
          <Choice
            name="framing"
            label={lookWords.framing}
            defaultValue={framing?.mode ?? ''}
            options={[follow, ...framingOptions]}
          />
        )}
        <JoinFields isVideo={isVideo} join={join} onChange={setJoin} />
      </Form>
    </Sheet>
  );
}

interface JoinFieldsProps {
  readonly isVideo: boolean;
  readonly join: Join;
  readonly onChange: (join: Join) => void;
}

function JoinFields({ isVideo, join, onChange }: JoinFieldsProps): ReactNode {
  const options = isVideo ? pictureJoinOptions : soundJoinOptions;
  const bounds = isVideo ? pictureJoinSeconds : joinSeconds;
  const { seconds } = (isVideo ? usualLook : usualSound).join;
  const hasLength =
    join !== null && (isVideo ? join.kind in pictureEffects : ['fade', 'crossfade'].includes(join.kind));
  return (
    <>
      <Choice
        name="join"
        label={isVideo ? lookWords.pictureJoin : lookWords.soundJoin}
        value={join?.kind ?? ''}
        onChange={(kind) => onChange(kind === '' ? null : { seconds, ...join, kind })}
        options={[follow, ...options]}
      />
      {hasLength && (
        <NumberField
          name="joinSeconds"
          label={lookWords.joinSeconds}
          min={bounds.shortest}
          max={bounds.longest}
          step={bounds.step}
          value={join.seconds}
          onChange={(chosen) => onChange({ ...join, seconds: chosen })}
        />
      )}
    </>
  );
}
