// Links between the lists of the library.
import type { ReactNode } from 'react';
import { Parts } from '../kit/parts.tsx';
import { words } from '#words';

const parts = [
  ['/library', words.library.files],
  ['/playlists', words.navigation.playlists],
  ['/collections', words.navigation.collections],
  ['/sources', words.library.sources],
] as const;

export function LibraryParts(): ReactNode {
  return <Parts label={words.library.title} parts={parts} />;
}
