// The page for a failed authorization that cannot safely return the user to the application.
import type { ReactNode } from 'react';
import { signInWords as words } from '#words/sign-in.ts';
import { Card } from './card.tsx';

export function ErrorPage(): ReactNode {
  // Only our own words are shown, since anyone can craft an address with any text.
  const code = new URLSearchParams(location.search).get('error') ?? '';
  return (
    <Card heading={words.cannotContinue}>
      <p role="alert">{words.faults[code] ?? words.faulty}</p>
      <p className="hint">{words.faultyText}</p>
    </Card>
  );
}
