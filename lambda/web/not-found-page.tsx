// The screen for an unknown address.
import { Compass } from 'lucide-react';
import type { ReactNode } from 'react';
import { entryWords } from '#words/entry.ts';

export function NotFoundPage(): ReactNode {
  return (
    <div className="screen">
      <div className="empty">
        <Compass aria-hidden />
        <h1>{entryWords.nowhere}</h1>
        <p className="hint">{entryWords.nowhereText}</p>
        <a className="button primary" href="/">
          {entryWords.toFirst}
        </a>
      </div>
    </div>
  );
}
