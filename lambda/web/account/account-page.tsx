// The account page: name and defaults, API keys, applications, sessions, password, history.
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { accountWords } from '#words/account.ts';
import { Failure } from '../form.tsx';
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
  const isShown = Boolean(session);
  // The browser looks for the part that a link names before the parts are there.
  useEffect(() => {
    if (isShown && location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [isShown]);
  if (error !== null) return <Failure error={error} />;
  if (!session) return null;
  return (
    <div className="screen">
      <h1>{accountWords.title}</h1>
      <p className="hint">{session.user.email}</p>
      <Defaults user={session.user} onSaved={reload} />
      <ApiKeys />
      <Applications />
      <Sessions />
      <Password />
      <History />
    </div>
  );
}
