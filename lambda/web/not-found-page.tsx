// The page for an address where there is nothing.
import type { ReactNode } from 'react';
import { Card } from './card.tsx';

export function NotFoundPage(): ReactNode {
  return (
    <Card heading="There is nothing here">
      <p>
        <a href="/account">Go to your account</a>
      </p>
    </Card>
  );
}
