// A card in the middle of the page, for one thing to do, such as to sign in or to choose a password.
import type { ReactNode } from 'react';
import { Brand } from './brand.tsx';

export function Card({ heading, children }: { readonly heading: string; readonly children: ReactNode }): ReactNode {
  return (
    <main className="card">
      <Brand />
      <h1>{heading}</h1>
      {children}
    </main>
  );
}
