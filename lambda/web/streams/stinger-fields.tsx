// The stinger of a stream: a short video from the library that plays between items.
import type { ReactNode } from 'react';
import { stingerCutSeconds, usualStingerCutSeconds } from '../../domain/playout/stinger.ts';
import type { Stream } from '../app/types.ts';
import { NumberField } from '../form.tsx';
import { lookWords } from '#words/look.ts';
import { UploadChoice } from './upload-choice.tsx';

type Stinger = NonNullable<Stream['look']['stinger']>;

interface StingerFieldsProps {
  readonly stinger: Stinger | null;
  readonly onChange: (stinger: Stinger | null) => void;
}

export function StingerFields({ stinger, onChange }: StingerFieldsProps): ReactNode {
  const { shortest, longest, step } = stingerCutSeconds;
  return (
    <>
      <UploadChoice
        name="stinger"
        label={lookWords.stinger}
        none={lookWords.noStinger}
        query="probeState=completed&type=video"
        isOffered={({ durationSeconds }) => durationSeconds !== null && durationSeconds <= 2 * longest}
        uploadID={stinger?.uploadID ?? null}
        onChange={(uploadID) =>
          onChange(uploadID === null ? null : { cutSeconds: usualStingerCutSeconds, ...stinger, uploadID })
        }
      />
      {stinger && (
        <NumberField
          name="stingerCutSeconds"
          label={lookWords.stingerCut}
          min={shortest}
          max={longest}
          step={step}
          value={stinger.cutSeconds}
          onChange={(cutSeconds) => onChange({ ...stinger, cutSeconds })}
        />
      )}
    </>
  );
}
