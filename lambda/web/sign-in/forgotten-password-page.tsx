// A form that requests a mail with a link to choose a new password.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Card } from '../card.tsx';
import { Field, Form } from '../form.tsx';
import { post } from '../requests.ts';

export function ForgottenPasswordPage(): ReactNode {
  const [address, setAddress] = useState<string | null>(null);
  if (address !== null) {
    return (
      <Card heading="Look into your mail">
        <p role="status">
          If there is an account for <strong>{address}</strong>, we have sent a mail with a link to choose a new
          password.
        </p>
      </Card>
    );
  }
  const ask = async ({ email = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await post('/request-password-reset', { email, redirectTo: '/new-password' });
    setAddress(email);
  };
  return (
    <Card heading="Forgotten password">
      <Form action="Send me a link" onSubmit={ask}>
        <Field name="email" label="E-mail address" type="email" autoComplete="username" autoFocus />
      </Form>
      <p className="links">
        <a href="/sign-in">Sign in</a>
      </p>
    </Card>
  );
}
