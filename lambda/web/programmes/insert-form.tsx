// The form of one insert: its items between others, and their times.
import type { ReactNode } from 'react';
import { useFault } from '../app/faults.tsx';
import type { Programme } from '../app/types.ts';
import { Field, NumberField, OptionalNumberField } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { UploadChoice } from '../streams/upload-choice.tsx';
import { programmeWords as words } from '#words/programmes.ts';
import { insertTimes, timedInsert, timeOfInsert } from './rules.ts';
import type { Block, Insert, InsertTime } from './rules.ts';
import { SourceChoice } from './sources.tsx';

interface InsertFormProps {
  /** The JSON pointer of the insert. */
  readonly path: string;
  readonly kind: Programme['kind'];
  readonly insert: Insert;
  readonly blocks: readonly Block[];
  readonly onChange: (insert: Insert) => void;
}

export function InsertForm({ path, kind, insert, blocks, onChange }: InsertFormProps): ReactNode {
  const { collectionID: _collection, uploadID: _upload, ...others } = insert;
  const time = timeOfInsert(insert);
  const usual: Readonly<Record<InsertTime, Partial<Insert>>> = {
    everyItems: { everyItems: 3 },
    everyMinutes: { everyMinutes: 30 },
    atMinutes: { atMinutes: [0, 30] },
    beforeBlockID: { beforeBlockID: blocks[0]?.id ?? '' },
    afterBlockID: { afterBlockID: blocks[0]?.id ?? '' },
    midRoll: { midRoll: usualMidRoll },
  };
  return (
    <div className="in-row grid">
      <Field
        name="name"
        label={words.name}
        value={insert.name}
        maxLength={100}
        fault={useFault(`${path}/name`)}
        onChange={(event) => onChange({ ...insert, name: event.target.value })}
      />
      <SourceChoice path={path} kind={kind} from={insert} onChange={(from) => onChange({ ...others, ...from })} />
      <Choice
        name="when"
        label={words.when}
        value={time}
        options={insertTimes.map((each) => [each, words.insertWhens[each]] as const)}
        onChange={(chosen) => onChange(timedInsert(insert, usual[chosen as InsertTime]))}
      />
      <TimeField path={`${path}/${time}`} time={time} insert={insert} blocks={blocks} onChange={onChange} />
      <NumberField
        name="perBreak"
        label={words.perBreak}
        min={1}
        max={20}
        value={insert.perBreak}
        fault={useFault(`${path}/perBreak`)}
        onChange={(perBreak) => onChange({ ...insert, perBreak })}
      />
      <OptionalNumberField
        name="mostPerHour"
        label={words.mostPerHour}
        hint={words.anyNumber}
        min={1}
        value={insert.mostPerHour}
        fault={useFault(`${path}/mostPerHour`)}
        onChange={(mostPerHour) => onChange({ ...insert, mostPerHour })}
      />
      <NumberField
        name="shortestGapMinutes"
        label={words.shortestGap}
        min={0}
        value={insert.shortestGapMinutes}
        fault={useFault(`${path}/shortestGapMinutes`)}
        onChange={(shortestGapMinutes) => onChange({ ...insert, shortestGapMinutes })}
      />
      <Choice
        name="join"
        label={words.insertJoin}
        value={insert.join}
        options={Object.entries(words.insertJoins)}
        onChange={(join) => onChange({ ...insert, join: join as Insert['join'] })}
      />
      {framings.map((name) => (
        <UploadChoice
          key={name}
          name={name}
          label={words[name]}
          none={words.noFraming}
          query="probeState=completed"
          isOffered={({ type }) => type !== (kind === 'video' ? 'audio' : 'image')}
          uploadID={insert[name]}
          onChange={(uploadID) => onChange({ ...insert, [name]: uploadID })}
        />
      ))}
    </div>
  );
}

/** Files that play once in each break, before and after its items. */
const framings = ['introUploadID', 'outroUploadID'] as const;

const usualMidRoll = { everyMinutes: 15, keepLastMinutes: 5, blockID: null } as const;

interface TimeFieldProps {
  readonly path: string;
  readonly time: InsertTime;
  readonly insert: Insert;
  readonly blocks: readonly Block[];
  readonly onChange: (insert: Insert) => void;
}

function TimeField({ path, time, insert, blocks, onChange }: TimeFieldProps): ReactNode {
  const fault = useFault(path);
  const set = (value: unknown) => onChange({ ...insert, [time]: value });
  if (time === 'everyItems' || time === 'everyMinutes')
    return (
      <NumberField name={time} label={words[time]} min={1} value={insert[time] ?? 0} fault={fault} onChange={set} />
    );
  if (time === 'midRoll') return <MidRollFields path={path} insert={insert} blocks={blocks} onChange={onChange} />;
  if (time === 'atMinutes')
    return (
      <Field
        key={time}
        name={time}
        label={words.atMinutes}
        hint={words.atMinutesHint}
        pattern="\s*\d{1,2}(\s*,\s*\d{1,2})*\s*"
        defaultValue={insert.atMinutes?.join(', ') ?? ''}
        fault={fault}
        onChange={(event) => set(event.target.value.match(/\d+/g)?.map(Number) ?? [])}
      />
    );
  return (
    <Choice
      name={time}
      label={words.block}
      value={insert[time] ?? ''}
      fault={fault}
      options={[['', words.noBlock], ...blocks.map(({ id, name }) => [id, name] as const)]}
      onChange={set}
    />
  );
}

function MidRollFields({ path, insert, blocks, onChange }: Omit<TimeFieldProps, 'time'>): ReactNode {
  const midRoll = insert.midRoll ?? usualMidRoll;
  const set = (changed: Partial<typeof midRoll>) => onChange({ ...insert, midRoll: { ...midRoll, ...changed } });
  return (
    <>
      <NumberField
        name="everyMinutes"
        label={words.midRollEvery}
        min={1}
        value={midRoll.everyMinutes}
        fault={useFault(`${path}/everyMinutes`)}
        onChange={(everyMinutes) => set({ everyMinutes })}
      />
      <NumberField
        name="keepLastMinutes"
        label={words.keepLast}
        min={1}
        value={midRoll.keepLastMinutes}
        fault={useFault(`${path}/keepLastMinutes`)}
        onChange={(keepLastMinutes) => set({ keepLastMinutes })}
      />
      <Choice
        name="blockID"
        label={words.block}
        value={midRoll.blockID ?? ''}
        fault={useFault(`${path}/blockID`)}
        options={[['', words.anyBlock], ...blocks.map(({ id, name }) => [id, name] as const)]}
        onChange={(blockID) => set({ blockID: blockID || null })}
      />
    </>
  );
}
