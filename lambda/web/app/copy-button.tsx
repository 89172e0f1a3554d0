// A button that copies a text, and confirms it until the button loses the focus.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { words } from '#words';

interface CopyButtonProps {
  readonly text: string;
  /** The accessible name of the button, if its text does not name the copied text. */
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
