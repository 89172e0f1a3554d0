// A piece of code with a button that copies it.
import type { ReactNode } from 'react';
import { CopyButton } from '../app/copy-button.tsx';
import { words } from '../words/en.ts';

export function CodeBlock({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <figure className="code">
      <figcaption>
        {name}
        <CopyButton text={text} label={words.developers.copyOf(name)} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={name}>
        {text}
      </pre>
    </figure>
  );
}
