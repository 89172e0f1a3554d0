// A form that requests a mail with a link to choose a new password.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { signInWords as words } from '#words/sign-in.ts';
import { Card } from '../card.tsx';
import { Field, Form } from '../form.tsx';
import { post } from '../requests.ts';
import { MailHint } from './mail-hint.tsx';

export function ForgottenPasswordPage(): ReactNode {
  const [address, setAddress] = useState<string | null>(null);
  if (address !== null) {
    return (
      <Card heading={words.lookIntoMail}>
        <p role="status">
          {words.linkMailed.before} <strong>{address}</strong>
          {words.linkMailed.after}
        </p>
        <MailHint />
        <p className="links">
          <a href="/sign-in">{words.signIn}</a>
        </p>
      </Card>
    );
  }
  const ask = async ({ email = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await post('/request-password-reset', { email });
    setAddress(email);
  };
  return (
    <Card heading={words.forgottenTitle}>
      <Form action={words.sendLink} onSubmit={ask}>
        <Field name="email" label={words.email} type="email" autoComplete="username" autoFocus />
      </Form>
      <p className="links">
        <a href="/sign-in">{words.signIn}</a>
      </p>
    </Card>
  );
}
