// The page for an unknown address.
import type { ReactNode } from 'react';
import { entryWords } from '#words/entry.ts';
import { Card } from './card.tsx';

export function NotFoundPage(): ReactNode {
  return (
    <Card heading={entryWords.nowhere}>
      <p>
        <a href="/">{entryWords.toFirst}</a>
      </p>
    </Card>
  );
}
