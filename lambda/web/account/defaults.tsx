// The name of the user, and the default settings of new streams.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { framerates, qualities } from '../../domain/shared/video-format.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { post } from '../requests.ts';
import type { Session } from '../session.ts';
import { Section } from './section.tsx';

const words = (values: readonly string[], unit: string) =>
  values.map((value) => [value, `${value.replace(/^._/, '')}${unit}`] as const);

export function Defaults({
  user,
  onSaved,
}: {
  readonly user: Session['user'];
  readonly onSaved: () => void;
}): ReactNode {
  const [isSaved, setSaved] = useState(false);
  const save = async ({ name, minutes, quality, framerate }: Readonly<Record<string, string>>): Promise<void> => {
    setSaved(false);
    await post('/update-user', {
      name,
      defaultStreamDurationSeconds: Math.round(Number(minutes) * 60),
      defaultQuality: quality,
      defaultFramerate: framerate,
    });
    setSaved(true);
    onSaved();
  };
  return (
    <Section heading="You, and what new streams take">
      <Form action="Save" onSubmit={save} className="in-row">
        <Field name="name" label="Name" defaultValue={user.name} autoComplete="name" maxLength={100} />
        <Field
          name="minutes"
          label="Duration in minutes"
          type="number"
          min={0}
          step="any"
          defaultValue={user.defaultStreamDurationSeconds / 60}
          hint="0: until you stop it."
        />
        <Choice name="quality" label="Quality" defaultValue={user.defaultQuality} options={words(qualities, '')} />
        <Choice
          name="framerate"
          label="Framerate"
          defaultValue={user.defaultFramerate}
          options={words(framerates, ' fps')}
        />
      </Form>
      <p role="status">{isSaved && 'Saved.'}</p>
    </Section>
  );
}
