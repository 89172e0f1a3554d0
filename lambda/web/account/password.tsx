// A form to change the password. A new password ends every other session.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Field, Form } from '../form.tsx';
import { post } from '../requests.ts';
import { Section } from './section.tsx';

export function Password(): ReactNode {
  const [isChanged, setChanged] = useState(false);
  const change = async ({ current, next }: Readonly<Record<string, string>>): Promise<void> => {
    setChanged(false);
    await post('/change-password', { currentPassword: current, newPassword: next, revokeOtherSessions: true });
    setChanged(true);
  };
  return (
    <Section heading="Password">
      <Form action="Change the password" onSubmit={change} isReset className="in-row">
        <Field name="current" label="Password now" type="password" autoComplete="current-password" />
        <Field
          name="next"
          label="New password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          hint="10 characters or more. You are signed out everywhere else."
        />
      </Form>
      <p role="status">{isChanged && 'Changed.'}</p>
    </Section>
  );
}
