// A form to sign up. Afterwards the page asks the user to wait for the confirmation mail.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Card } from '../card.tsx';
import { Field, Form } from '../form.tsx';
import { post } from '../requests.ts';
import { afterSignIn, withRequest } from './authorization-request.ts';

export function SignUpPage(): ReactNode {
  const [address, setAddress] = useState<string | null>(null);
  if (address !== null) {
    return (
      <Card heading="Look into your mail">
        <p role="status">
          We have sent a mail to <strong>{address}</strong>. Its link confirms the address and signs you in.
        </p>
        <p className="hint">
          Nothing there after some minutes? Look among the unwanted mail, or sign in: that sends another one.
        </p>
        <p className="links">
          <a href={withRequest('/sign-in')}>Sign in</a>
        </p>
      </Card>
    );
  }
  const signUp = async ({ name, email = '', password }: Readonly<Record<string, string>>): Promise<void> => {
    await post('/sign-up/email', { name, email, password, callbackURL: afterSignIn() });
    setAddress(email);
  };
  return (
    <Card heading="Sign up">
      <Form action="Sign up" onSubmit={signUp}>
        <Field name="name" label="Name" autoComplete="name" maxLength={100} autoFocus />
        <Field name="email" label="E-mail address" type="email" autoComplete="username" />
        <Field
          name="password"
          label="Password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          hint="10 characters or more. A few words are good."
        />
      </Form>
      <p className="links">
        <a href={withRequest('/sign-in')}>Sign in instead</a>
      </p>
    </Card>
  );
}
