// Creates or changes a webhook: its address and its event types, which come from the API's schema.
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Webhook } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { words } from '#words';
import { webhooksWords } from '#words/alerts.ts';
import { eventTypes } from './event-types.ts';
import type { EventType } from './event-types.ts';

export interface WebhookWish {
  readonly url: string;
  readonly events: readonly EventType[];
}

interface WebhookFormProps {
  /** Null creates a new webhook. */
  readonly webhook: Webhook | null;
  readonly onSave: (wish: WebhookWish) => Promise<void>;
  /** The button that closes the dialog of the form. */
  readonly cancel: ReactNode;
}

export function WebhookForm({ webhook, onSave, cancel }: WebhookFormProps): ReactNode {
  const [chosen, setChosen] = useState<readonly EventType[]>(webhook?.events ?? ['stream.state_changed']);
  const toggle = (type: EventType) =>
    setChosen(eventTypes.filter((each) => (each === type ? !chosen.includes(type) : chosen.includes(each))));
  const isAll = chosen.length === eventTypes.length;
  return (
    <Form
      action={webhook ? words.save : webhooksWords.add}
      onSubmit={({ url = '' }) => onSave({ url, events: chosen })}
      beside={cancel}
      isDisabled={chosen.length === 0}
    >
      <Field
        name="url"
        label={webhooksWords.url}
        type="url"
        defaultValue={webhook?.url ?? ''}
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
      />
      <fieldset className="many">
        <legend>{webhooksWords.events}</legend>
        <label>
          <input type="checkbox" checked={isAll} onChange={() => setChosen(isAll ? [] : eventTypes)} />
          {webhooksWords.all}
        </label>
        {eventTypes.map((type) => (
          <label key={type}>
            <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
            <code>{type}</code>
          </label>
        ))}
      </fieldset>
    </Form>
  );
}
