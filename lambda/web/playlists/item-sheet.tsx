// A dialog with the sound and look of one item of a playlist, as far as they differ from those of its stream.
import { useState } from 'react';
import type { ReactNode } from 'react';
import {
  framingModes,
  pictureEffects,
  pictureJoinKinds,
  pictureJoinSeconds,
  usualLook,
} from '../../domain/playout/look.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import { joinKinds, joinSeconds, usualSound } from '../../domain/playout/sound.ts';
import { Form, NumberField } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { Sheet } from '../kit/sheet.tsx';
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

const targets = [-14, -16, -23];
const unchanged = 'unchanged';
const follow = ['', playlistWords.asStream] as const;

/** Choices without a value follow the stream. */
export function ItemSheet({ item, kind, onEdit, onClose }: ItemSheetProps): ReactNode {
  const { loudness = null, join: soundJoin = null } = item.sound ?? {};
  const { framing = null, join: pictureJoin = null } = item.look ?? {};
  const isVideo = kind === 'video';
  const [join, setJoin] = useState<Join>(isVideo ? pictureJoin : soundJoin);
  const save = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const level = fields['loudness'];
    const sound = {
      ...(level && {
        loudness: level === unchanged ? { enabled: false } : { enabled: true, targetLUFS: Number(level) },
      }),
      ...(!isVideo && join && { join }),
      ...(item.sound?.under && { under: item.sound.under }),
    };
    const look = {
      ...(fields['framing'] && { framing: { ...framing, mode: fields['framing'] } }),
      ...(isVideo && join && { join }),
    };
    const orNone = <Settings extends object>(settings: Settings) =>
      Object.keys(settings).length > 0 ? settings : null;
    onEdit({ op: 'set', itemID: item.id, sound: orNone(sound), look: orNone(look) });
    onClose();
  };
  return (
    <Sheet title={playlistWords.settings(item.name ?? '…')} isOpen onClose={onClose}>
      <p className="hint">{playlistWords.note}</p>
      <Form action={words.save} onSubmit={save}>
        <Choice
          name="loudness"
          label={lookWords.loudness}
          defaultValue={loudness === null ? '' : loudness.enabled ? String(loudness.targetLUFS) : unchanged}
          options={[
            follow,
            ...[...new Set([...targets, loudness?.targetLUFS ?? targets[0]!])].map(
              (lufs) => [String(lufs), lookWords.loudnesses(lufs)] as const,
            ),
            [unchanged, lookWords.loudnessOff],
          ]}
        />
        {isVideo && (
          <Choice
            name="framing"
            label={lookWords.framing}
            defaultValue={framing?.mode ?? ''}
            options={[follow, ...framingModes.map((mode) => [mode, lookWords.framings[mode]] as const)]}
          />
        )}
        <JoinFields isVideo={isVideo} join={join} onChange={setJoin} />
      </Form>
      <p className="buttons">
        <button type="button" onClick={onClose}>
          {words.cancel}
        </button>
      </p>
    </Sheet>
  );
}

interface JoinFieldsProps {
  readonly isVideo: boolean;
  readonly join: Join;
  readonly onChange: (join: Join) => void;
}

function JoinFields({ isVideo, join, onChange }: JoinFieldsProps): ReactNode {
  const options = isVideo
    ? pictureJoinKinds.map((kind) => [kind, lookWords.pictureJoins[kind]] as const)
    : joinKinds.map((kind) => [kind, lookWords.soundJoins[kind]] as const);
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
