// A form to sign up. Afterwards the page asks the user to wait for the confirmation mail.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { signInWords as words } from '#words/sign-in.ts';
import { Card } from '../card.tsx';
import { Field, Form } from '../form.tsx';
import { post } from '../requests.ts';
import { MailHint } from './mail-hint.tsx';
import { afterSignIn, withRequest } from './authorization-request.ts';

export function SignUpPage(): ReactNode {
  const [address, setAddress] = useState<string | null>(null);
  if (address !== null) {
    return (
      <Card heading={words.lookIntoMail}>
        <p role="status">
          {words.mailed.before} <strong>{address}</strong>
          {words.mailed.after}
        </p>
        <MailHint otherwise={words.noMail} />
        <p className="links">
          <a href={withRequest('/sign-in')}>{words.signIn}</a>
        </p>
      </Card>
    );
  }
  const signUp = async ({ name, email = '', password }: Readonly<Record<string, string>>): Promise<void> => {
    await post('/sign-up/email', { name, email, password, callbackURL: afterSignIn() });
    setAddress(email);
  };
  return (
    <Card heading={words.signUp}>
      <Form action={words.signUp} onSubmit={signUp}>
        <Field name="name" label={words.name} autoComplete="name" maxLength={100} autoFocus />
        <Field name="email" label={words.email} type="email" autoComplete="username" />
        <Field
          name="password"
          label={words.password}
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          hint={words.passwordHint}
        />
      </Form>
      <p className="links">
        <a href={withRequest('/sign-in')}>{words.signInInstead}</a>
      </p>
    </Card>
  );
}
