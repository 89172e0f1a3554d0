// The form of one block: its days and hours, its beginning and end, and its items.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { FaultHere, useFault } from '../app/faults.tsx';
import type { Programme } from '../app/types.ts';
import { Weekdays } from '../app/weekdays.tsx';
import { Field, NumberField, OptionalNumberField } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { programmeWords as words } from '#words/programmes.ts';
import { LiveInputChoice } from './live-inputs.tsx';
import { daysOf, newStep, ruleOfDays } from './rules.ts';
import type { Block, Days, OwnProgramme, Step } from './rules.ts';
import { SourceChoice } from './sources.tsx';

interface BlockFormProps {
  /** The JSON pointer of the block. */
  readonly path: string;
  readonly programme: OwnProgramme;
  readonly block: Block;
  readonly onChange: (block: Block) => void;
}

export function BlockForm({ path, programme: { kind, streamID }, block, onChange }: BlockFormProps): ReactNode {
  const change = (changed: Partial<Block>) => onChange({ ...block, ...changed });
  const changeStep = (index: number, step: Step) => change({ steps: block.steps.with(index, step) });
  return (
    <>
      <div className="in-row grid">
        <Field
          name="name"
          label={words.name}
          value={block.name}
          maxLength={100}
          fault={useFault(`${path}/name`)}
          onChange={(event) => change({ name: event.target.value })}
        />
        <HoursFields path={path} block={block} change={change} />
      </div>
      {block.rule !== null && <EndsFields path={path} block={block} change={change} />}
      {block.steps.length > 1 && (
        <Choice
          name="ordered"
          label={words.ordered}
          value={String(block.ordered)}
          options={Object.entries(words.orders)}
          onChange={(value) => change({ ordered: value === 'true' })}
        />
      )}
      <Choice
        name="offAir"
        label={words.offAir}
        value={String(block.offAir)}
        options={Object.entries(words.offAirs)}
        onChange={(value) => change({ offAir: value === 'true' })}
      />
      <Choice
        name="guide"
        label={words.guide}
        value={block.guide}
        options={Object.entries(words.guides)}
        onChange={(value) => change({ guide: value as Block['guide'] })}
      />
      <LiveInputChoice path={path} streamID={streamID} block={block} change={change} />
      {block.steps.map((step, index) => (
        <fieldset key={step.id} className="in-row">
          <legend>{words.step(index + 1)}</legend>
          <StepFields
            path={`${path}/steps/${index}`}
            kind={kind}
            step={step}
            hasWeight={!block.ordered && block.steps.length > 1}
            onChange={(changed) => changeStep(index, changed)}
          />
          {block.steps.length > 1 && (
            <button type="button" onClick={() => change({ steps: block.steps.toSpliced(index, 1) })}>
              {words.removeStep}
            </button>
          )}
        </fieldset>
      ))}
      <FaultHere at={`${path}/steps`} />
      <FaultHere at={path} />
      <p>
        <button type="button" onClick={() => change({ steps: [...block.steps, newStep()] })}>
          {words.addStep}
        </button>
      </p>
    </>
  );
}

interface PartProps {
  readonly path: string;
  readonly block: Block;
  readonly change: (changed: Partial<Block>) => void;
}

type When = keyof typeof words.whens;

const noHours = { rule: null, at: null, minutes: null, firstDay: null, lastDay: null };
const usualHours = { at: '20:00', minutes: 60 };

function HoursFields({ path, block, change }: PartProps): ReactNode {
  const { rule, at, minutes } = block;
  // A rule that is being typed has the form of days and weeks for a moment.
  const [isTyped, setTyped] = useState(rule !== null && daysOf(rule) === null);
  const days = rule === null || isTyped ? null : daysOf(rule);
  const when: When = rule === null ? 'always' : (days?.every ?? 'rule');
  const choose = (chosen: When): void => {
    setTyped(chosen === 'rule');
    if (chosen === 'always') return change(noHours);
    const hours = { at: at ?? usualHours.at, minutes: minutes ?? usualHours.minutes };
    if (chosen === 'rule') return change({ ...hours, rule: rule ?? '' });
    const usual: Days = { every: chosen, interval: 1, weekdays: chosen === 'week' ? ['MO'] : [] };
    return change({ ...hours, rule: ruleOfDays(usual) });
  };
  const faultOfRule = useFault(`${path}/rule`);
  const faults = { at: useFault(`${path}/at`), minutes: useFault(`${path}/minutes`) };
  return (
    <>
      <Choice
        name="when"
        label={words.when}
        value={when}
        options={Object.entries(words.whens)}
        onChange={(chosen) => choose(chosen as When)}
      />
      {when === 'rule' && (
        <Field
          name="rule"
          label={words.rule}
          hint={words.ruleHint}
          value={rule ?? ''}
          fault={faultOfRule}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => change({ rule: event.target.value })}
        />
      )}
      {days && <DaysFields days={days} fault={faultOfRule} onChange={(next) => change({ rule: ruleOfDays(next) })} />}
      {rule !== null && (
        <>
          <Field
            name="at"
            label={words.from}
            type="time"
            value={at ?? ''}
            fault={faults.at}
            onChange={(event) => change({ at: event.target.value })}
          />
          <NumberField
            name="minutes"
            label={words.minutes}
            min={1}
            value={minutes ?? 0}
            fault={faults.minutes}
            onChange={(value) => change({ minutes: value })}
          />
        </>
      )}
    </>
  );
}

interface DaysFieldsProps {
  readonly days: Days;
  readonly fault: string | null;
  readonly onChange: (days: Days) => void;
}

function DaysFields({ days, fault, onChange }: DaysFieldsProps): ReactNode {
  // A rule without days would be one of the day of the week of its first day.
  const choose = (chosen: Days['weekdays']) => chosen.length > 0 && onChange({ ...days, weekdays: chosen });
  return (
    <>
      {days.every === 'week' && <Weekdays legend={words.days} days={days.weekdays} onChange={choose} />}
      <NumberField
        name="interval"
        label={days.every === 'week' ? words.weeks : words.everyDays}
        min={1}
        max={52}
        value={days.interval}
        fault={fault}
        onChange={(interval) => onChange({ ...days, interval: Math.max(1, Math.floor(interval)) })}
      />
    </>
  );
}

/** The beginning and the end of a block with hours. */
function EndsFields({ path, block, change }: PartProps): ReactNode {
  const { starts, latestMinutes, ends, priority, firstDay, lastDay } = block;
  const dateOf = (value: string) => (value === '' ? null : value);
  const faults = { latest: useFault(`${path}/latestMinutes`), priority: useFault(`${path}/priority`) };
  const faultsOfDays = { first: useFault(`${path}/firstDay`), last: useFault(`${path}/lastDay`) };
  return (
    <div className="in-row grid">
      <Choice
        name="starts"
        label={words.begins}
        value={starts}
        options={Object.entries(words.starts)}
        onChange={(value) => change({ starts: value as Block['starts'], latestMinutes: null })}
      />
      {starts === 'next_item' && (
        <OptionalNumberField
          name="latestMinutes"
          label={words.latest}
          min={0}
          value={latestMinutes}
          fault={faults.latest}
          onChange={(value) => change({ latestMinutes: value })}
        />
      )}
      <Choice
        name="ends"
        label={words.ends}
        value={ends}
        options={Object.entries(words.endings)}
        onChange={(value) => change({ ends: value as Block['ends'] })}
      />
      <NumberField
        name="priority"
        label={words.priority}
        hint={words.priorityHint}
        min={0}
        max={100}
        value={priority}
        fault={faults.priority}
        onChange={(value) => change({ priority: value })}
      />
      <Field
        name="firstDay"
        label={words.firstDay}
        type="date"
        required={false}
        value={firstDay ?? ''}
        fault={faultsOfDays.first}
        onChange={(event) => change({ firstDay: dateOf(event.target.value) })}
      />
      <Field
        name="lastDay"
        label={words.lastDay}
        type="date"
        required={false}
        value={lastDay ?? ''}
        fault={faultsOfDays.last}
        onChange={(event) => change({ lastDay: dateOf(event.target.value) })}
      />
    </div>
  );
}

interface StepFieldsProps {
  readonly path: string;
  readonly kind: Programme['kind'];
  readonly step: Step;
  readonly hasWeight: boolean;
  readonly onChange: (step: Step) => void;
}

function StepFields({ path, kind, step, hasWeight, onChange }: StepFieldsProps): ReactNode {
  const { collectionID: _collection, uploadID: _upload, ...others } = step;
  return (
    <>
      <SourceChoice path={path} kind={kind} from={step} onChange={(from) => onChange({ ...others, ...from })} />
      <NumberField
        name="count"
        label={words.count}
        min={1}
        value={step.count}
        fault={useFault(`${path}/count`)}
        onChange={(count) => onChange({ ...step, count })}
      />
      {hasWeight && (
        <NumberField
          name="weight"
          label={words.weight}
          min={1}
          value={step.weight}
          onChange={(weight) => onChange({ ...step, weight })}
        />
      )}
    </>
  );
}
