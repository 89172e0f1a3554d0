// The permissions that an application or a device asks for.
import type { ReactNode } from 'react';
import { signInWords as words } from '#words/sign-in.ts';
import { scopeWords } from '../scope-words.ts';

export function AskedScopes({ scopes }: { readonly scopes: readonly string[] }): ReactNode {
  return (
    <>
      <h2>{words.could}</h2>
      <ul className="scopes">
        {scopes.map((scope) => (
          <li key={scope} className={scope === 'service:destructive' ? 'grave' : ''}>
            {scopeWords(scope)}
          </li>
        ))}
      </ul>
    </>
  );
}
