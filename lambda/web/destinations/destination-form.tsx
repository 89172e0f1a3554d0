// A form to add a destination. A preset fills in the address, so that only the key is left to type.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import type { Destination } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { destinationsWords } from '#words/destinations.ts';

type Preset = keyof typeof destinationsWords.presets;

/** The ingest addresses, as the platforms' help pages list them. */
const addresses: Readonly<Record<Preset, string>> = {
  youtube: 'rtmps://a.rtmps.youtube.com/live2',
  twitch: 'rtmps://ingest.global-contribute.live-video.net/app',
  facebook: 'rtmps://live-api-s.facebook.com:443/rtmp',
  other: '',
};

interface DestinationFormProps {
  readonly onMade: (made: Destination) => void;
  /** The button that closes the dialog of the form; absent: it is in none. */
  readonly cancel?: ReactNode;
}

export function DestinationForm({ onMade, cancel }: DestinationFormProps): ReactNode {
  const [preset, setPreset] = useState<Preset>('youtube');
  const add = async ({ name, url, streamKey }: Readonly<Record<string, string>>): Promise<void> => {
    const key = streamKey === '' ? {} : { streamKey };
    onMade(await call<Destination>('POST', '/destinations', { name, url, ...key }));
  };
  return (
    <Form
      action={destinationsWords.add}
      onSubmit={add}
      isReset
      beside={cancel}
      className={cancel === undefined ? 'in-row' : ''}
    >
      <Choice
        name="platform"
        label={destinationsWords.platform}
        value={preset}
        onChange={(value) => setPreset(value as Preset)}
        options={Object.entries(destinationsWords.presets)}
      />
      <Field
        key={`name of ${preset}`}
        name="name"
        label={destinationsWords.name}
        defaultValue={preset === 'other' ? '' : destinationsWords.presets[preset]}
        maxLength={255}
        autoComplete="off"
      />
      <Field
        key={`address of ${preset}`}
        name="url"
        label={destinationsWords.url}
        defaultValue={addresses[preset]}
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        name="streamKey"
        label={destinationsWords.key}
        type="password"
        hint={destinationsWords.keyHint}
        required={preset !== 'other'}
        autoComplete="off"
      />
    </Form>
  );
}
