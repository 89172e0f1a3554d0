// The button below a list that has further pages.
import type { ReactNode } from 'react';
import { words } from '../words/en.ts';

/** @param more reads the next page; null: there is none */
export function MoreButton({ more }: { readonly more: (() => Promise<void>) | null }): ReactNode {
  return (
    more && (
      <button type="button" onClick={() => void more()}>
        {words.more}
      </button>
    )
  );
}
