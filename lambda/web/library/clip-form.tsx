// A form that makes a part of a video or a song into a file of its own. The player beside it gives the times.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { refresh } from '../app/live-data.ts';
import type { Upload } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { words } from '#words';
import { clipWords } from '#words/clip.ts';

interface ClipFormProps {
  readonly upload: Upload;
  /** The time of the player, in seconds. */
  readonly now: () => number;
  readonly onMade: () => void;
}

export function ClipForm({ upload: { id, name, durationSeconds }, now, onMade }: ClipFormProps): ReactNode {
  const [from, setFrom] = useState('0');
  const [until, setUntil] = useState(String(durationSeconds ?? ''));
  const make = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    await call('POST', `/uploads/${id}/clips`, {
      name: fields['clipName'],
      fromSeconds: Number(from),
      untilSeconds: Number(until),
    });
    refresh('/uploads');
    onMade();
  };
  const shown = () => (Math.round(now() * 100) / 100).toString();
  return (
    <details>
      <summary>{clipWords.make}</summary>
      <p className="hint">{clipWords.text}</p>
      <Form action={clipWords.make} onSubmit={make}>
        <div className="in-row">
          <Time label={clipWords.from} at={clipWords.fromHere} value={from} onChange={setFrom} now={shown} />
          <Time label={clipWords.until} at={clipWords.untilHere} value={until} onChange={setUntil} now={shown} />
        </div>
        <Field name="clipName" label={words.library.name} defaultValue={clipWords.nameOf(name)} maxLength={255} />
      </Form>
    </details>
  );
}

interface TimeProps {
  readonly label: string;
  /** The text of the button that takes the time of the player. */
  readonly at: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly now: () => string;
}

function Time({ label, at, value, onChange, now }: TimeProps): ReactNode {
  return (
    <div className="field">
      <Field
        name={label}
        label={label}
        type="number"
        min={0}
        step="any"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <button type="button" onClick={() => onChange(now())}>
        {at}
      </button>
    </div>
  );
}
