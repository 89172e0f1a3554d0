// The choice of how the songs of a stream follow each other.
import type { ReactNode } from 'react';
import type { Stream } from '../app/types.ts';
import { Choice } from '../kit/choice.tsx';
import { lookWords } from '#words/look.ts';
import { soundJoinOptions } from './look-options.ts';

type Sound = Stream['sound'];

interface SoundJoinChoiceProps {
  readonly sound: Sound;
  readonly onChange: (sound: Sound) => void;
}

export function SoundJoinChoice({ sound, onChange }: SoundJoinChoiceProps): ReactNode {
  const { join } = sound;
  return (
    <Choice
      name="soundJoin"
      label={lookWords.soundJoin}
      value={join.kind}
      options={soundJoinOptions}
      onChange={(kind) => onChange({ ...sound, join: { ...join, kind: kind as typeof join.kind } })}
    />
  );
}
