// A form to change the password. A new password ends every other session.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { accountWords } from '#words/account.ts';
import { Field, Form } from '../form.tsx';
import { post } from '../requests.ts';
import { Section } from './section.tsx';

const words = accountWords.password;

export function Password(): ReactNode {
  const [isChanged, setChanged] = useState(false);
  const change = async ({ current, next }: Readonly<Record<string, string>>): Promise<void> => {
    setChanged(false);
    await post('/change-password', { currentPassword: current, newPassword: next, revokeOtherSessions: true });
    setChanged(true);
  };
  return (
    <Section heading={words.title}>
      <Form action={words.change} onSubmit={change} isReset className="in-row">
        <Field name="current" label={words.now} type="password" autoComplete="current-password" />
        <Field
          name="next"
          label={words.next}
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          hint={words.hint}
        />
      </Form>
      <p role="status">{isChanged && words.changed}</p>
    </Section>
  );
}
