// A piece of code with a button that copies it.
import type { ReactNode } from 'react';
import { CopyButton } from '../app/copy-button.tsx';
import { developersWords } from '#words/developers.ts';

export function CodeBlock({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <figure className="code">
      <figcaption>
        {name}
        <CopyButton text={text} label={developersWords.copyOf(name)} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={name}>
        {text}
      </pre>
    </figure>
  );
}
