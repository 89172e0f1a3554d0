// The form of one distance between items that are alike.
import type { ReactNode } from 'react';
import { separationKeys } from '../../domain/programme/programme-rules.ts';
import { FaultHere, useFault } from '../app/faults.tsx';
import { Field, NumberField } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { programmeWords as words } from '#words/programmes.ts';
import type { Separation } from './rules.ts';

interface SeparationFormProps {
  /** The JSON pointer of the rule. */
  readonly path: string;
  readonly rule: Separation;
  readonly onChange: (rule: Separation) => void;
}

export function SeparationForm({ path, rule, onChange }: SeparationFormProps): ReactNode {
  const { by, tagPrefix, items, minutes, strength } = rule;
  const faultOfTags = useFault(`${path}/tagPrefix`);
  return (
    <div className="in-row grid">
      <Choice
        name="by"
        label={words.by}
        value={by}
        options={separationKeys.map((key) => [key, words.alike[key]] as const)}
        onChange={(value) => onChange({ ...rule, by: value as Separation['by'], tagPrefix: null })}
      />
      {by === 'tag' && (
        <Field
          name="tagPrefix"
          label={words.tagPrefix}
          hint={words.tagPrefixHint}
          required={false}
          maxLength={64}
          value={tagPrefix ?? ''}
          fault={faultOfTags}
          onChange={({ target: { value } }) => onChange({ ...rule, tagPrefix: value === '' ? null : value })}
        />
      )}
      <NumberField
        name="items"
        label={words.items}
        min={0}
        value={items}
        fault={useFault(`${path}/items`)}
        onChange={(value) => onChange({ ...rule, items: value })}
      />
      <NumberField
        name="minutes"
        label={words.apartMinutes}
        min={0}
        value={minutes}
        fault={useFault(`${path}/minutes`)}
        onChange={(value) => onChange({ ...rule, minutes: value })}
      />
      <Choice
        name="strength"
        label={words.strength}
        value={strength}
        options={Object.entries(words.strengths)}
        onChange={(value) => onChange({ ...rule, strength: value as Separation['strength'] })}
      />
      <FaultHere at={path} />
    </div>
  );
}
