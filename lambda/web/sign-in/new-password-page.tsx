// A form to choose a new password, with the token from the mail.
import type { ReactNode } from 'react';
import { Card } from '../card.tsx';
import { Field, Form } from '../form.tsx';
import { post } from '../requests.ts';

export function NewPasswordPage(): ReactNode {
  const token = new URLSearchParams(location.search).get('token');
  if (token === null) {
    return (
      <Card heading="This link does not work">
        <p>It has been used already, or is too old.</p>
        <p className="links">
          <a href="/forgotten-password">Ask for another</a>
        </p>
      </Card>
    );
  }
  const choose = async ({ password }: Readonly<Record<string, string>>): Promise<void> => {
    await post('/reset-password', { newPassword: password, token });
    location.assign('/sign-in');
  };
  return (
    <Card heading="Choose a new password">
      <Form action="Change password" onSubmit={choose}>
        <Field
          name="password"
          label="New password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          hint="10 characters or more. You will be signed out everywhere."
          autoFocus
        />
      </Form>
    </Card>
  );
}
