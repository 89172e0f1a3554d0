// A dialog that makes a live input, or changes its settings.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { lostAfterSeconds } from '../../domain/live/signal-loss.ts';
import { call } from '../app/api.ts';
import { change, refresh } from '../app/live-data.ts';
import type { KeyedLiveInput, LiveInput } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { Dismiss, Sheet } from '../kit/sheet.tsx';
import { words } from '#words';
import { liveWords } from '#words/live.ts';
import { UploadChoice } from './upload-choice.tsx';
import { TakeWindows, windowsOf } from './take-windows.tsx';

interface LiveInputSheetProps {
  readonly streamID: string;
  /** Null: an input is made. */
  readonly input: LiveInput | null;
  /** Shows the key of an input that was made. */
  readonly onKey: (input: KeyedLiveInput) => void;
  readonly onClose: () => void;
}

/** The settings of a form. */
function settingsOf(fields: Readonly<Record<string, string>>, input: LiveInput | null): object {
  const { name, takes, secondPublisher, allow = '', ...times } = fields;
  const { stableSeconds, graceSeconds, silenceSeconds, blackSeconds, delaySeconds, record, afterTakeover } = times;
  const { slateUploadID = '' } = fields;
  return {
    name,
    takes,
    secondPublisher,
    allow: allow.split(/[\s,;]+/).filter((network) => network !== ''),
    stableSeconds: Number(stableSeconds),
    graceSeconds: Number(graceSeconds),
    lostAfter: { silenceSeconds: secondsOrNull(silenceSeconds), blackSeconds: secondsOrNull(blackSeconds) },
    delaySeconds: Number(delaySeconds),
    slateUploadID: slateUploadID === '' ? null : slateUploadID,
    record: record !== undefined,
    windows: windowsOf(fields, input?.windows ?? null),
    afterTakeover,
  };
}

function secondsOrNull(text = ''): number | null {
  return text === '' ? null : Number(text);
}

export function LiveInputSheet({ streamID, input, onKey, onClose }: LiveInputSheetProps): ReactNode {
  const [takes, setTakes] = useState<string>(input?.takes ?? 'on_request');
  const save = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const settings = settingsOf(fields, input);
    if (input) await change('PATCH', `/live-inputs/${input.id}`, ['/live-inputs'], settings);
    else {
      onKey(await call<KeyedLiveInput>('POST', '/live-inputs', { streamID, ...settings }));
      refresh('/live-inputs');
    }
    onClose();
  };
  return (
    <Sheet title={input ? liveWords.editOf(input.name) : liveWords.add} isOpen onClose={onClose}>
      <Form action={input ? words.save : liveWords.add} onSubmit={save} beside={<Dismiss onClose={onClose} />}>
        <Field
          name="name"
          label={liveWords.name}
          hint={liveWords.nameHint}
          defaultValue={input?.name ?? ''}
          maxLength={255}
          autoComplete="off"
        />
        <Choice
          name="takes"
          label={liveWords.takes}
          value={takes}
          onChange={setTakes}
          options={Object.entries(liveWords.takesOptions)}
        />
        {takes === 'in_windows' && <TakeWindows windows={input?.windows ?? null} />}
        <details open={input !== null}>
          <summary>{liveWords.further}</summary>
          <Further input={input} />
        </details>
      </Form>
    </Sheet>
  );
}

/** The settings that most inputs leave at their defaults. */
function Further({ input }: Pick<LiveInputSheetProps, 'input'>): ReactNode {
  const [slateUploadID, setSlateUploadID] = useState(input?.slateUploadID ?? null);
  return (
    <div className="stack">
      <Choice
        name="afterTakeover"
        label={liveWords.after}
        defaultValue={input?.afterTakeover ?? 'join_in_progress'}
        options={Object.entries(liveWords.afterOptions)}
      />
      <Choice
        name="secondPublisher"
        label={liveWords.second}
        defaultValue={input?.secondPublisher ?? 'refuse'}
        options={Object.entries(liveWords.secondOptions)}
      />
      <Field
        name="allow"
        label={liveWords.allow}
        hint={liveWords.allowHint}
        defaultValue={input?.allow.join(' ') ?? ''}
        required={false}
        autoComplete="off"
        spellCheck={false}
      />
      <Seconds name="stableSeconds" hint={liveWords.stableHint} least={2} most={60} value={input?.stableSeconds ?? 5} />
      <Seconds name="graceSeconds" hint={liveWords.graceHint} least={0} most={300} value={input?.graceSeconds ?? 15} />
      <UploadChoice
        name="slateUploadID"
        label={liveWords.slate}
        none={liveWords.noSlate}
        query="probeState=completed"
        isOffered={({ type, durationSeconds }) => type === 'image' || (type === 'video' && (durationSeconds ?? 0) >= 2)}
        uploadID={slateUploadID}
        onChange={setSlateUploadID}
      />
      <p className="hint">{liveWords.slateHint}</p>
      <Seconds
        name="silenceSeconds"
        hint={liveWords.silenceHint}
        {...lostAfterSeconds}
        value={input?.lostAfter.silenceSeconds ?? null}
        required={false}
      />
      <Seconds
        name="blackSeconds"
        hint={liveWords.blackHint}
        {...lostAfterSeconds}
        value={input?.lostAfter.blackSeconds ?? null}
        required={false}
      />
      <Seconds name="delaySeconds" hint={liveWords.delayHint} least={8} most={30} value={input?.delaySeconds ?? 10} />
      <fieldset>
        <label>
          <input type="checkbox" name="record" defaultChecked={input?.record ?? false} />
          {liveWords.record}
        </label>
        <p className="hint">{liveWords.recordHint}</p>
      </fieldset>
    </div>
  );
}

interface SecondsProps {
  readonly name: 'stableSeconds' | 'graceSeconds' | 'silenceSeconds' | 'blackSeconds' | 'delaySeconds';
  readonly hint: string;
  readonly least: number;
  readonly most: number;
  /** Null: the field is empty. */
  readonly value: number | null;
  readonly required?: boolean;
}

function Seconds({ name, hint, least, most, value, required = true }: SecondsProps): ReactNode {
  return (
    <Field
      name={name}
      label={liveWords[name]}
      hint={hint}
      type="number"
      min={least}
      max={most}
      defaultValue={value ?? ''}
      required={required}
    />
  );
}
