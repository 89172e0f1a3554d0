// The words of the form that makes a part of a file into a file of its own, in German.
import type { clipWords as english } from './en-clip.ts';
import type { Translation } from './translation.ts';

export const clipWords = {
  make: 'Clip erstellen',
  text:
    'Ein Clip läuft wie eine eigene Datei, auf das Bild genau. Er belegt keinen Speicher, und die ganze Datei ' +
    'bleibt.',
  from: 'Beginnt bei (Sekunden)',
  fromHere: 'Hier beginnen',
  until: 'Endet bei (Sekunden)',
  untilHere: 'Hier enden',
  nameOf: (name: string) => `Clip aus ${name}`.slice(0, 255),
} satisfies Translation<typeof english>;
