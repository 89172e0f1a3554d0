// Creates or changes an alert channel: its address, kinds of incidents, delay and quiet hours.
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AlertChannelKind } from '../../domain/notices/alert-target.ts';
import { confirmedAfterSeconds, incidentKinds } from '../../domain/notices/incidents.ts';
import type { IncidentKind } from '../../domain/notices/incidents.ts';
import type { AlertChannel } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { words } from '#words';
import { alertsWords } from '#words/alerts.ts';

interface ChannelWish {
  readonly name: string;
  readonly kind?: AlertChannelKind;
  readonly target?: string;
  readonly events: readonly IncidentKind[];
  readonly afterSeconds: number;
  readonly quietHours: AlertChannel['quietHours'];
}

interface ChannelFormProps {
  /** Null creates a new channel. */
  readonly channel: AlertChannel | null;
  readonly onSave: (wish: ChannelWish) => Promise<void>;
  /** The button that closes the dialog of the form. */
  readonly cancel: ReactNode;
}

export function ChannelForm({ channel, onSave, cancel }: ChannelFormProps): ReactNode {
  const [kind, setKind] = useState<AlertChannelKind>(channel?.kind ?? 'email');
  const save = (fields: Readonly<Record<string, string>>): Promise<void> => {
    const { name = '', target = '', quietFrom = '', quietTo = '' } = fields;
    const zone = channel?.quietHours?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    return onSave({
      name,
      ...(channel ? {} : { kind }),
      ...(target === '' ? {} : { target }),
      events: incidentKinds.filter((each) => fields[each] === 'on'),
      afterSeconds: Number(fields['afterSeconds']),
      quietHours: quietFrom === '' || quietTo === '' ? null : { from: quietFrom, to: quietTo, timeZone: zone },
    });
  };
  return (
    <Form action={channel ? words.save : alertsWords.add} onSubmit={save} className="in-row" beside={cancel}>
      <Field name="name" label={alertsWords.name} defaultValue={channel?.name ?? ''} maxLength={100} />
      {channel === null && (
        <Choice
          name="kind"
          label={alertsWords.kind}
          value={kind}
          onChange={(chosen) => setKind(chosen as AlertChannelKind)}
          options={Object.entries(alertsWords.kinds)}
        />
      )}
      {kind !== 'email' && (
        <Field
          name="target"
          label={channel ? alertsWords.newTarget : alertsWords.target}
          type="password"
          required={channel === null}
          hint={alertsWords.targets[kind]}
          autoComplete="off"
        />
      )}
      <Field
        name="afterSeconds"
        label={alertsWords.afterSeconds}
        type="number"
        min={0}
        max={3600}
        defaultValue={channel?.afterSeconds ?? confirmedAfterSeconds}
      />
      <Field
        name="quietFrom"
        label={alertsWords.quietFrom}
        type="time"
        required={false}
        defaultValue={channel?.quietHours?.from ?? ''}
      />
      <Field
        name="quietTo"
        label={alertsWords.quietTo}
        type="time"
        required={false}
        defaultValue={channel?.quietHours?.to ?? ''}
      />
      <fieldset>
        <legend>{alertsWords.events}</legend>
        {incidentKinds.map((each) => (
          <label key={each}>
            <input type="checkbox" name={each} defaultChecked={channel?.events.includes(each) ?? true} />
            {alertsWords.eventNames[each]}
          </label>
        ))}
      </fieldset>
    </Form>
  );
}
