// A button that copies a text, and says so until it is left.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { words } from '../words/en.ts';

interface CopyButtonProps {
  readonly text: string;
  /** What the button is called where its word alone does not say what it copies. */
  readonly label?: string;
}

export function CopyButton({ text, label }: CopyButtonProps): ReactNode {
  const [copied, setCopied] = useState<string | null>(null);
  return (
    <button
      type="button"
      aria-label={label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
      onBlur={() => setCopied(null)}
    >
      {copied === text ? words.copied : words.copy}
    </button>
  );
}
