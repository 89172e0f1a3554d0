// A form to choose a new password, with the token from the mail.
import type { ReactNode } from 'react';
import { signInWords as words } from '#words/sign-in.ts';
import { Card } from '../card.tsx';
import { Field, Form } from '../form.tsx';
import { post } from '../requests.ts';

export function NewPasswordPage(): ReactNode {
  // A fragment reaches no log of a server.
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) {
    return (
      <Card heading={words.deadLink}>
        <p>{words.deadLinkText}</p>
        <p className="links">
          <a href="/forgotten-password">{words.another}</a>
        </p>
      </Card>
    );
  }
  const choose = async ({ password }: Readonly<Record<string, string>>): Promise<void> => {
    await post('/reset-password', { newPassword: password, token });
    location.assign('/sign-in');
  };
  return (
    <Card heading={words.choosePassword}>
      <Form action={words.changePassword} onSubmit={choose}>
        <Field
          name="password"
          label={words.newPassword}
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          hint={words.newPasswordHint}
          autoFocus
        />
      </Form>
    </Card>
  );
}
