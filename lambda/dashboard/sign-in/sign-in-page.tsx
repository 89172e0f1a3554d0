// Sign in with address and password.
import type { ReactNode } from 'react';
import { Card } from '../card.tsx';
import { Field, Form } from '../form.tsx';
import { post } from '../requests.ts';
import { afterSignIn, signedQuery, withRequest } from './authorization-request.ts';

export function SignInPage(): ReactNode {
  const oauthQuery = signedQuery();
  const signIn = async ({ email, password }: Readonly<Record<string, string>>): Promise<void> => {
    const request = oauthQuery === null ? {} : { oauth_query: oauthQuery };
    const answer = await post<{ url?: string }>('/sign-in/email', { email, password, callbackURL: undefined, ...request });
    location.assign(oauthQuery === null ? '/account' : (answer.url ?? afterSignIn()));
  };
  return (
    <Card heading="Sign in">
      {oauthQuery !== null && <p className="hint">An application asks for access to your account. Sign in to see what it wants.</p>}
      <Form action="Sign in" onSubmit={signIn}>
        <Field name="email" label="E-mail address" type="email" autoComplete="username" autoFocus />
        <Field name="password" label="Password" type="password" autoComplete="current-password" />
      </Form>
      <p className="links">
        <a href={withRequest('/sign-up')}>Sign up</a>
        <a href="/forgotten-password">Forgotten password?</a>
      </p>
    </Card>
  );
}
