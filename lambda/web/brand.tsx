// The logo and the name of the platform.
import type { ReactNode } from 'react';
import { entryWords } from '#words/entry.ts';

export function Brand(): ReactNode {
  return (
    <p className="brand">
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M22 11.5a8 8 0 1 0 2 5.5" />
        <path d="M13.5 12.5v7l6-3.5z" />
      </svg>
      {entryWords.product}
    </p>
  );
}
