// The name of the user, and the default settings of new streams.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { accountWords } from '#words/account.ts';
import { words as common } from '#words';
import { framerates, qualities } from '../../domain/shared/video-format.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { post } from '../requests.ts';
import type { Session } from '../session.ts';
import { Section } from './section.tsx';

const options = (values: readonly string[], unit: string) =>
  values.map((value) => [value, `${value.replace(/^._/, '')}${unit}`] as const);

const words = accountWords.defaults;

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
    <Section heading={words.title}>
      <Form action={common.save} onSubmit={save} className="in-row">
        <Field name="name" label={words.name} defaultValue={user.name} autoComplete="name" maxLength={100} />
        <Field
          name="minutes"
          label={words.minutes}
          type="number"
          min={0}
          step="any"
          defaultValue={user.defaultStreamDurationSeconds / 60}
          hint={words.minutesHint}
        />
        <Choice
          name="quality"
          label={words.quality}
          defaultValue={user.defaultQuality}
          options={options(qualities, '')}
        />
        <Choice
          name="framerate"
          label={words.framerate}
          defaultValue={user.defaultFramerate}
          options={options(framerates, words.fps)}
        />
      </Form>
      <p role="status">{isSaved && common.saved}</p>
    </Section>
  );
}
