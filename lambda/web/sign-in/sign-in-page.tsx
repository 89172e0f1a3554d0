// A form to sign in with address and password.
import type { ReactNode } from 'react';
import { signInWords as words } from '#words/sign-in.ts';
import { Card } from '../card.tsx';
import { Field, Form } from '../form.tsx';
import { isTooOld, post } from '../requests.ts';
import type { RequestError } from '../requests.ts';
import { afterSignIn, signedQuery, withRequest } from './authorization-request.ts';

/** The query of the link that confirms an address, if it was opened in a browser that did not sign up. */
function linkToConfirm(): string | null {
  const query = new URLSearchParams(location.search).get('confirm');
  return query?.startsWith('?') ? query : null;
}

export function SignInPage(): ReactNode {
  const oauthQuery = signedQuery();
  const confirm = linkToConfirm();
  const signIn = async ({ email, password }: Readonly<Record<string, string>>): Promise<void> => {
    const attempt = (request: object) =>
      post<{ url?: string }>('/sign-in/email', { email, password, ...request }).catch((error: RequestError) => {
        if (confirm === null || error.code !== 'EMAIL_NOT_VERIFIED') throw error;
        // The server now knows that this browser has the password.
        location.assign(`/api/auth/verify-email${confirm}`);
        return new Promise<never>(() => {});
      });
    if (oauthQuery === null) {
      await attempt({});
      location.assign(afterSignIn());
      return;
    }
    const answer = await attempt({ oauth_query: oauthQuery }).catch((error: RequestError) =>
      isTooOld(error) ? attempt({}) : Promise.reject(error),
    );
    location.assign(answer.url ?? afterSignIn());
  };
  return (
    <Card heading={words.signIn}>
      {new URLSearchParams(location.search).has('error') && <p role="alert">{words.oldLink}</p>}
      {confirm !== null && <p role="status">{words.confirm}</p>}
      {oauthQuery !== null && <p className="hint">{words.asked}</p>}
      <Form action={words.signIn} onSubmit={signIn}>
        <Field name="email" label={words.email} type="email" autoComplete="username" autoFocus />
        <Field name="password" label={words.password} type="password" autoComplete="current-password" />
      </Form>
      <p className="links">
        <a href={withRequest('/sign-up')}>{words.signUp}</a>
        <a href="/forgotten-password">{words.forgotten}</a>
      </p>
    </Card>
  );
}
