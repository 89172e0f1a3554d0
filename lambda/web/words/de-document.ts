// The words of the document itself, in German.
import type { documentWords as english } from './en-document.ts';
import type { Translation } from './translation.ts';

export const documentWords = {
  description: 'Livestreams rund um die Uhr, aus hochgeladenen Videos und Musik.',
  noScript: 'Diese Seite braucht JavaScript.',
} satisfies Translation<typeof english>;
