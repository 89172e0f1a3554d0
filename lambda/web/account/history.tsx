// The security events of the account, the latest first.
import type { ReactNode } from 'react';
import { accountWords } from '#words/account.ts';
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

const words = accountWords.history;

export function History(): ReactNode {
  const events = useLoaded<{ data: readonly SecurityEvent[] }>('/account/security-events');
  return (
    <Section heading={words.title}>
      <Rows
        loaded={events}
        none={words.none}
        row={({ kind, clientName, address, userAgent, at }) => (
          <li key={kind + at}>
            <div>
              <strong>{words.kinds[kind]}</strong> {clientName}
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
