// The screen for an unknown address, and for content that was deleted.
import { Compass } from 'lucide-react';
import type { ReactNode } from 'react';
import { entryWords } from '#words/entry.ts';

/** @param text the thing that is missing, in a sentence; absent: any address */
export function NotFoundPage({ text = entryWords.nowhereText }: { readonly text?: string }): ReactNode {
  return (
    <div className="screen">
      <div className="empty">
        <Compass aria-hidden />
        <h1>{entryWords.nowhere}</h1>
        <p className="hint">{text}</p>
        <a className="button primary" href="/">
          {entryWords.toFirst}
        </a>
      </div>
    </div>
  );
}
