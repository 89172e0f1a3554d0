// Asks for the code that a device shows, and whether the device may act for the user (RFC 8628).
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Card } from '../card.tsx';
import { Failure, Field, Form } from '../form.tsx';
import { post } from '../requests.ts';
import type { Session } from '../session.ts';
import { useAttempt } from '../use-attempt.ts';
import { useLoaded } from '../use-loaded.ts';
import { deviceWords as words } from '#words/device.ts';
import { signInWords } from '#words/sign-in.ts';
import { AskedScopes } from './asked-scopes.tsx';

interface DeviceRequest {
  readonly userCode: string;
  readonly clientName: string | null;
  readonly scopes: readonly string[];
}

const here = (): string => location.pathname + location.search;
const toSignIn = (): void => location.replace(`/sign-in?next=${encodeURIComponent(here())}`);

export function DevicePage(): ReactNode {
  const session = useLoaded<Session | null>('/get-session');
  const [request, setRequest] = useState<DeviceRequest | null>(null);
  const [accepted, setAccepted] = useState<boolean | null>(null);
  if (session.error !== null) {
    return (
      <Card heading={words.title}>
        <Failure error={session.error} />
      </Card>
    );
  }
  if (session.data === undefined) return <Card heading={words.title}>{null}</Card>;
  if (session.data === null) {
    toSignIn();
    return null;
  }
  if (accepted !== null) return <Answered accepted={accepted} />;
  if (request !== null) return <Question request={request} email={session.data.user.email} onAnswer={setAccepted} />;
  const read = async ({ userCode = '' }: Readonly<Record<string, string>>): Promise<void> =>
    setRequest(await post<DeviceRequest>('/device/request', { userCode }));
  return (
    <Card heading={words.title}>
      <p>{words.ask}</p>
      <Form action={words.next} onSubmit={read}>
        <Field
          name="userCode"
          label={words.code}
          hint={words.codeHint}
          defaultValue={new URLSearchParams(location.search).get('user_code') ?? ''}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={20}
          autoFocus
        />
      </Form>
    </Card>
  );
}

interface QuestionProps {
  readonly request: DeviceRequest;
  readonly email: string;
  readonly onAnswer: (accepted: boolean) => void;
}

function Question({ request: { userCode, clientName, scopes }, email, onAnswer }: QuestionProps): ReactNode {
  const answer = async (accept: boolean): Promise<void> => {
    await post('/device/answer', { userCode, accept });
    onAnswer(accept);
  };
  const { attempt: refuse, error } = useAttempt(() => answer(false));
  const switchAccount = async (): Promise<void> => {
    await post('/sign-out');
    toSignIn();
  };
  const name = clientName || signInWords.nameless;
  return (
    <Card heading={words.connect(name)}>
      <p>
        <strong>{name}</strong> {words.asks}
      </p>
      <p className="secret">{userCode}</p>
      <p className="hint">{words.warning}</p>
      <AskedScopes scopes={scopes} />
      <Form action={signInWords.agree} onSubmit={() => answer(true)} />
      <button type="button" onClick={() => void refuse()}>
        {signInWords.refuse}
      </button>
      <Failure error={error} />
      <p className="hint">
        {signInWords.you(email)}{' '}
        <button type="button" className="link" onClick={() => void switchAccount()}>
          {signInWords.notYou}
        </button>
      </p>
    </Card>
  );
}

function Answered({ accepted }: { readonly accepted: boolean }): ReactNode {
  return (
    <Card heading={accepted ? words.connected : words.refused}>
      <p role="status">{accepted ? words.connectedText : words.refusedText}</p>
      {accepted && (
        <p className="links">
          <a href="/account">{words.account}</a>
        </p>
      )}
    </Card>
  );
}
