// The security events of the account, the latest first.
import type { ReactNode } from 'react';
import type { SecurityEventKind } from '../../data/accounts/security-events.ts';
import { useLoaded } from '../use-loaded.ts';
import { deviceWords } from './device-words.ts';
import { Rows, Section, Time } from './section.tsx';

interface SecurityEvent {
  readonly kind: SecurityEventKind;
  readonly clientName: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly at: string;
}

const words: Readonly<Record<SecurityEventKind, string>> = {
  signed_up: 'Signed up',
  email_verified: 'Confirmed the address',
  signed_in: 'Signed in',
  sign_in_refused: 'Sign-in refused',
  session_ended: 'Signed out',
  password_reset_requested: 'Asked for a new password',
  password_changed: 'Changed the password',
  api_key_created: 'Made an API key',
  api_key_revoked: 'Revoked an API key',
  application_connected: 'Connected an application',
  application_denied: 'Refused an application',
  application_disconnected: 'Disconnected an application',
  refresh_refused: 'An application used a token again, and lost its access',
  token_revoked: 'An application gave back its access',
  user_disabled: 'Account disabled',
};

export function History(): ReactNode {
  const events = useLoaded<{ data: readonly SecurityEvent[] }>('/account/security-events');
  return (
    <Section heading="What happened lately">
      <Rows
        loaded={events}
        none="Nothing."
        row={({ kind, clientName, address, userAgent, at }) => (
          <li key={kind + at}>
            <div>
              <strong>{words[kind]}</strong> {clientName}
              <p className="hint">
                <Time at={at} /> · {deviceWords(userAgent)} {address && `· ${address}`}
              </p>
            </div>
          </li>
        )}
      />
    </Section>
  );
}
