// A card in the middle of the page for a single task, such as signing in.
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
