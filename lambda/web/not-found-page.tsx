// The page for an unknown address.
import type { ReactNode } from 'react';
import { Card } from './card.tsx';

export function NotFoundPage(): ReactNode {
  return (
    <Card heading="There is nothing here">
      <p>
        <a href="/">Go to the first page</a>
      </p>
    </Card>
  );
}
