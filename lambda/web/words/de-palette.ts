// The words of the command palette, in German.
import type { paletteWords as english } from './en-palette.ts';
import type { Translation } from './translation.ts';

export const paletteWords = {
  title: 'Alles finden',
  placeholder: 'Streams, Dateien, Playlists, Bereiche …',
  nothing: 'Nichts trägt diesen Namen.',
  places: 'Gehe zu',
  actions: 'Aktionen',
  newStream: 'Neuer Stream',
  addFiles: 'Dateien zur Bibliothek hinzufügen',
  plan: 'Stream planen',
  addCredits: 'Guthaben aufladen',
  newDestination: 'Ziel hinzufügen',
} satisfies Translation<typeof english>;
