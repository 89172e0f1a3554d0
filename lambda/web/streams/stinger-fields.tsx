// The stinger of a stream: a short video from the library that plays between items.
import type { ReactNode } from 'react';
import { stingerCutSeconds, usualStingerCutSeconds } from '../../domain/playout/stinger.ts';
import { useLive } from '../app/live-data.ts';
import type { Page, Stream, Upload } from '../app/types.ts';
import { Choice, Field } from '../form.tsx';
import { words } from '../words/en.ts';

type Stinger = NonNullable<Stream['look']['stinger']>;

interface StingerFieldsProps {
  readonly stinger: Stinger | null;
  readonly onChange: (stinger: Stinger | null) => void;
}

export function StingerFields({ stinger, onChange }: StingerFieldsProps): ReactNode {
  const { data: uploads } = useLive<Page<Upload>>('/uploads?limit=100&probeState=completed');
  const { shortest, longest, step } = stingerCutSeconds;
  const videos = (uploads?.data ?? []).filter(
    ({ type, durationSeconds }) => type === 'video' && durationSeconds !== null && durationSeconds <= 2 * longest,
  );
  const isListed = stinger === null || videos.some(({ id }) => id === stinger.uploadID);
  return (
    <>
      <Choice
        name="stinger"
        label={words.look.stinger}
        value={stinger?.uploadID ?? ''}
        options={[
          ['', words.look.noStinger],
          ...videos.map(({ id, name }) => [id, name] as const),
          // A chosen upload that is not among the first hundred stays selectable.
          ...(isListed ? [] : [[stinger.uploadID, stinger.uploadID] as const]),
        ]}
        onChange={(uploadID) =>
          onChange(uploadID === '' ? null : { cutSeconds: usualStingerCutSeconds, ...stinger, uploadID })
        }
      />
      {stinger && (
        <Field
          name="stingerCutSeconds"
          label={words.look.stingerCut}
          type="number"
          min={shortest}
          max={longest}
          step={step}
          value={stinger.cutSeconds}
          onChange={(event) => onChange({ ...stinger, cutSeconds: Number(event.target.value) })}
        />
      )}
    </>
  );
}
