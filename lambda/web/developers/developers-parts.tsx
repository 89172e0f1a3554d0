// Links between the screens for developers.
import type { ReactNode } from 'react';
import { Parts } from '../kit/parts.tsx';
import { words } from '#words';
import { developersWords } from '#words/developers.ts';

const parts = [
  ['/developers', developersWords.title],
  ['/developers/graphql', developersWords.graphql],
  ['/webhooks', words.navigation.webhooks],
  ['/account#api-keys', developersWords.keys],
] as const;

export function DevelopersParts(): ReactNode {
  return <Parts label={words.navigation.developers} parts={parts} />;
}
