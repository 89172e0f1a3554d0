// The words of the screen of one playlist, in German.
import type { playlistWords as english } from './en-playlist.ts';
import { plural } from './plural.ts';
import type { Translation } from './translation.ts';

export const playlistWords = {
  settings: (name: string) => `Ton und Bild von ${name}`,
  own: 'Eigener Ton oder eigenes Bild',
  asStream: 'Wie der Stream',
  note: 'Das gilt für diesen Eintrag in dieser Playlist. Auf Sendung geht es mit dem Veröffentlichen der Playlist.',
  kind: 'Art',
  kinds: { video: 'Videos', image: 'Bilder' },
  choose: (name: string) => `${name} auswählen`,
  addChosen: (count: number) => `${plural(count, 'Datei', 'Dateien')} hinzufügen`,
  addAtEnd: 'Ausgewählte Dateien kommen ans Ende, in der Reihenfolge der Auswahl.',
  copyTo: 'In eine andere Playlist kopieren',
  copyText:
    'Einträge und Reihenfolge werden in den Entwurf einer anderen Playlist dieser Art kopiert, die noch leer ist.',
  target: 'Leere Playlist',
  noTarget: 'Es gibt keine andere leere Playlist dieser Art.',
  copy: 'Kopieren',
} satisfies Translation<typeof english>;
