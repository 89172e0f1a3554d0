// The account page: name and defaults, API keys, applications, sessions, password, history.
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Brand } from '../brand.tsx';
import { post } from '../requests.ts';
import type { Session } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { ApiKeys } from './api-keys.tsx';
import { Applications } from './applications.tsx';
import { Defaults } from './defaults.tsx';
import { History } from './history.tsx';
import { Password } from './password.tsx';
import { Sessions } from './sessions.tsx';

export function AccountPage(): ReactNode {
  const { data: session, error, reload } = useLoaded<Session | null>('/get-session');
  useEffect(() => {
    if (session === null) location.replace(`/sign-in${location.search}`);
  }, [session]);
  const signOut = async (): Promise<void> => {
    await post('/sign-out');
    location.assign('/sign-in');
  };
  if (error !== null)
    return (
      <p role="alert" className="error">
        {error}
      </p>
    );
  if (!session) return null;
  return (
    <>
      <header>
        <Brand />
        <p>
          {session.user.email}{' '}
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        </p>
      </header>
      <main className="account">
        <h1>Account</h1>
        <Defaults user={session.user} onSaved={reload} />
        <ApiKeys />
        <Applications />
        <Sessions />
        <Password />
        <History />
      </main>
    </>
  );
}
