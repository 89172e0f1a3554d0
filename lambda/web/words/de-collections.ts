// The words of collections, in German.
import type { collectionWords as english } from './en-collections.ts';
import { plural } from './plural.ts';
import type { Translation } from './translation.ts';

const list = new Intl.ListFormat('de');
const either = new Intl.ListFormat('de', { type: 'disjunction' });
const quoted = (tags: readonly string[]) => tags.map((tag) => `„${tag}“`);

export const collectionWords = {
  title: 'Sammlungen',
  hint: 'Gruppen von Dateien, die sich selbst füllen. Programme schöpfen aus ihnen.',
  empty: 'Noch keine Sammlungen',
  make: 'Neue Sammlung',
  missing: 'Diese Sammlung gibt es nicht, oder sie wurde gelöscht.',
  toList: 'Alle Sammlungen',
  create: 'Anlegen',
  files: (count: number) => plural(count, 'Datei', 'Dateien'),
  partly: 'nur ein Teil der passenden Dateien',

  name: 'Name',
  kind: 'Für',
  kinds: { video: 'Video', audio: 'Musik' },
  form: 'Gefüllt durch',
  forms: {
    folder: 'Einen Ordner der Bibliothek',
    tags: 'Schlagwörter',
    text: 'Eine Suche',
    playlistID: 'Eine Playlist',
    sourceID: 'Eine überwachte Quelle',
    uploadIDs: 'Von Hand ausgewählte Dateien',
    collectionIDs: 'Andere Sammlungen',
  },
  folder: 'Ordner',
  folderHint: 'Zum Beispiel Musik/Live. Leer: Dateien außerhalb aller Ordner.',
  recursive: 'Auch Dateien aus Unterordnern',
  allTags: 'Alle diese Schlagwörter',
  anyTags: 'Eines dieser Schlagwörter',
  noTags: 'Keines dieser Schlagwörter',
  tagsHint: 'Mehrere durch Kommas trennen.',
  text: 'Wörter aus Namen und Titeln',
  playlist: 'Playlist',
  noPlaylist: 'Playlist auswählen',
  source: 'Überwachte Quelle',
  noSource: 'Quelle auswählen',
  uploads: 'Dateien',
  addUpload: 'Datei hinzufügen',
  noUpload: 'Datei auswählen',
  take: (name: string) => `${name} entfernen`,
  parts: 'Sammlungen',
  noParts: 'Keine andere Sammlung kann ein Teil davon sein.',
  order: 'Reihenfolge',
  orders: {
    sequential: 'Wie aufgeführt',
    shuffle: 'Gemischt',
    newest: 'Neueste zuerst',
    oldest: 'Älteste zuerst',
    series: 'Serien im Wechsel',
  },
  orderNames: {
    sequential: 'wie aufgeführt',
    shuffle: 'gemischt',
    newest: 'neueste zuerst',
    oldest: 'älteste zuerst',
    series: 'Serien im Wechsel',
  },
  group: 'Eine Serie bilden',
  groups: {
    '': 'Alle Dateien zusammen',
    folder: 'Die Dateien eines Ordners',
    artist: 'Die Dateien eines Interpreten',
    album: 'Die Dateien eines Albums',
    tag: 'Die Dateien mit einem Schlagwort, das beginnt mit …',
  },
  tagPrefix: 'Anfang der Schlagwörter',
  invalid: 'Etwas muss geändert werden. Der Grund steht daneben.',
  members: 'Derzeit enthalten',
  noMembers: 'Noch passt keine Datei.',
  remove: 'Diese Sammlung löschen',
  removeAsk: (name: string) => `${name} löschen?`,
  removeText: 'Die Dateien in der Bibliothek bleiben. Programme, die aus ihr schöpfen, finden dort nichts mehr.',
  keep: 'Behalten',

  sources: {
    folder: (folder: string, isRecursive: boolean) =>
      (folder === '' ? 'Dateien außerhalb aller Ordner' : `Ordner ${folder}`) +
      (isRecursive ? ' mit Unterordnern' : ''),
    tags: (all: readonly string[], any: readonly string[], none: readonly string[]) =>
      [
        all.length > 0 && `mit ${list.format(quoted(all))}`,
        any.length > 0 && `mit ${either.format(quoted(any))}`,
        none.length > 0 && `ohne ${list.format(quoted(none))}`,
      ]
        .filter(Boolean)
        .join(', '),
    text: (text: string) => `Suche nach „${text}“`,
    playlistID: 'eine Playlist',
    sourceID: 'eine überwachte Quelle',
    uploadIDs: (count: number) => `${plural(count, 'Datei', 'Dateien')}, von Hand ausgewählt`,
    collectionIDs: (count: number) => plural(count, 'Sammlung', 'Sammlungen'),
  },
} satisfies Translation<typeof english>;
