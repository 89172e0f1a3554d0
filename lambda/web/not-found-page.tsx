// The screen for an unknown address.
import type { ReactNode } from 'react';
import { entryWords } from '#words/entry.ts';

export function NotFoundPage(): ReactNode {
  return (
    <div className="screen">
      <h1>{entryWords.nowhere}</h1>
      <p>
        <a href="/">{entryWords.toFirst}</a>
      </p>
    </div>
  );
}
