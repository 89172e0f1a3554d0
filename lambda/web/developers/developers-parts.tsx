// Links between the screens for developers.
import type { ReactNode } from 'react';
import { Parts } from '../kit/parts.tsx';
import { words } from '../words/en.ts';

const parts = [
  ['/developers', words.developers.title],
  ['/developers/graphql', words.developers.graphql],
  ['/webhooks', words.navigation.webhooks],
  ['/account', words.developers.keys],
] as const;

export function DevelopersParts(): ReactNode {
  return <Parts label={words.navigation.developers} parts={parts} />;
}
