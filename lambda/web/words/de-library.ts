// The words of the library, of uploads and of playlists, in German.
import type { library as englishLibrary, playlists as englishPlaylists, tray as englishTray } from './en-library.ts';
import { plural } from './plural.ts';
import type { Translation } from './translation.ts';

type Use = 'playlists' | 'streams' | 'managedSettings';

const list = new Intl.ListFormat('de');

export const library = {
  title: 'Bibliothek',
  files: 'Dateien',
  sources: 'Überwachte Quellen',
  add: 'Dateien hinzufügen',
  dropHere: 'Dateien oder Ordner irgendwo auf dieser Seite ablegen.',
  type: 'Art',
  types: { all: 'Alle Arten', video: 'Videos', audio: 'Musik', image: 'Bilder' },
  sort: 'Reihenfolge',
  sorts: {
    '-createdAt': 'Neueste zuerst',
    createdAt: 'Älteste zuerst',
    name: 'Nach Namen',
    '-durationSeconds': 'Längste zuerst',
    '-fileSize': 'Größte zuerst',
  },
  allFolders: 'Alle Ordner',
  everyFolder: (count: number | null) => (count === null ? 'Alle Ordner' : `Alle ${count} Ordner`),
  noFolder: 'Kein Ordner heißt so.',
  details: 'Abspielen und bearbeiten',
  actionsOf: (name: string) => `Aktionen für ${name}`,
  select: (name: string) => `${name} auswählen`,
  selection: 'Ausgewählte Dateien',
  selected: (count: number) => `${plural(count, 'Datei', 'Dateien')} ausgewählt`,
  chooseAll: 'Alle auswählen',
  deselect: 'Auswahl aufheben',
  toPlaylist: 'Zu einer Playlist hinzufügen',
  addThem: (count: number) => `${plural(count, 'Datei', 'Dateien')} hinzufügen`,
  toFolder: 'In einen Ordner verschieben',
  move: 'Verschieben',
  name: 'Name der Datei',
  titled: 'Titel',
  artist: 'Interpret',
  album: 'Album',
  folder: 'Ordner',
  folderHint: 'Zum Beispiel Musik/Jazz. Leer: kein Ordner.',
  tags: 'Schlagwörter',
  tagsHint: 'Durch Kommas getrennt.',
  removeManyAsk: (count: number) => `${plural(count, 'Datei', 'Dateien')} löschen?`,
  removeManyText:
    'Die Dateien werden endgültig gelöscht. Verwendet ein Stream, eine Playlist oder eine Sendung eine davon, wird ' +
    'keine gelöscht.',
  search: 'Nach Namen suchen',
  empty: 'Noch keine Dateien.',
  emptyText: 'Ihre Videos, Bilder und Musik, und Mängel darin, die Zuschauern auffallen können.',
  nothingFits: 'Keine passenden Dateien.',
  link: 'Von einem Link importieren',
  linkLabel: 'Link zu einer Datei',
  linkHint: 'Freigabelinks von Google Drive, Dropbox, OneDrive und Box funktionieren unverändert.',
  importIt: 'Importieren',
  probe: { pending: 'Wird geprüft', completed: 'Bereit', failed: 'Unbrauchbar' },
  notThere: 'Nicht hochgeladen',
  importing: (bytes: string) => `Wird importiert: ${bytes}`,
  importFailed: 'Import fehlgeschlagen',
  usedBy: ({ playlists, streams, managedSettings }: Readonly<Record<Use, number>>) =>
    `verwendet von ${list.format(
      [
        plural(playlists, 'Playlist', 'Playlists'),
        plural(streams, 'Stream', 'Streams'),
        plural(managedSettings, 'Sendeeinstellung', 'Sendeeinstellungen'),
      ].filter((use) => !use.startsWith('0 ')),
    )}`,
  unused: 'nicht verwendet',
  findings: (count: number) =>
    plural(count, 'Mangel, der Zuschauern auffallen kann', 'Mängel, die Zuschauern auffallen können'),
  captions: (count: number) => (count === 0 ? 'Untertitel' : plural(count, 'Untertitel', 'Untertitel')),
  captionsHint:
    'Eine Datei in SRT oder WebVTT. Streams zeigen Untertitel, die unter „Ton und Bild“ eingeschaltet sind.',
  chooseCaptions: 'Datei auswählen',
  captionsOf: (name: string) => `Untertitel von ${name}`,
  removeCaptions: 'Untertitel entfernen',
  removeCaptionsOf: (name: string) => `Untertitel von ${name} entfernen`,
  captionsEncoding: 'Der Text ist nicht in UTF-8. Bitte als UTF-8 speichern und erneut auswählen.',
  retryOne: (name: string) => `Erneut versuchen: ${name}`,
  removeAsk: (name: string) => `${name} löschen?`,
  removeText: 'Die Datei wird endgültig gelöscht.',
  removeNot: (name: string) => `${name} wird verwendet`,
  removeUsed: 'Playlists oder Sendeeinstellungen verwenden die Datei. Erst dort entfernt, lässt sie sich löschen.',
  removeFromStreams:
    'Streams verwenden die Datei. Gestoppte laufen künftig ohne sie; auf Sendung ist es nicht möglich.',
  deleted: 'Eine gelöschte Datei',
  stream: 'Damit streamen',
} satisfies Translation<typeof englishLibrary>;

export const tray = {
  title: 'Uploads',
  summary: (open: number) => (open === 0 ? 'Alle Uploads sind fertig' : plural(open, 'Upload', 'Uploads')),
  clear: 'Leeren',
  pause: 'Anhalten',
  resume: 'Fortsetzen',
  again: 'Erneut auswählen',
  lost: (name: string) =>
    `${name} wurde unterbrochen. Dieselbe Datei erneut auswählen oder ablegen: Hochgeladene Teile bleiben erhalten.`,
  states: {
    waiting: 'Wartet',
    sending: 'Wird hochgeladen',
    paused: 'Angehalten',
    failed: 'Fehlgeschlagen',
    done: 'Hochgeladen',
    interrupted: 'Unterbrochen',
  },
  failures: {
    interrupted: 'Der Upload wurde unterbrochen.',
    refused: 'Der Speicher hat den Upload abgelehnt.',
    stopped: 'Der Upload wurde gestoppt.',
  },
} satisfies Translation<typeof englishTray>;

export const playlists = {
  title: 'Playlists',
  one: 'Playlist',
  empty: 'Noch keine Playlists',
  emptyText:
    'Eine Reihenfolge von Videos oder Musik. Ein Stream spielt sie in einer Schleife, auch während Sie sie ändern.',
  noStream: 'noch kein Stream',
  makeNew: 'Neue Playlist',
  kind: 'Spielt',
  unused: 'Noch spielt sie kein Stream. Auf der Seite eines Streams lässt sie sich unter „Programm“ wählen.',
  of: (stream: string) => `von ${stream}`,
  withoutStream: 'ihr Stream ist gelöscht',
  name: 'Name',
  rename: 'Umbenennen',
  remove: 'Diese Playlist löschen',
  removeAsk: (name: string) => `${name} löschen?`,
  removeText: 'Die Reihenfolge geht verloren. Dateien in der Bibliothek bleiben.',
  kept: 'Behalten',
  takeUp: 'Vorhandene Playlist verwenden',
  takeUpHint:
    'Eine Playlist gehört zu einem Stream: Sie verlässt den anderen und ersetzt hier eine Playlist ihrer Art.',
  use: 'Verwenden',
  kinds: { video: 'Video', audio: 'Musik' },
  items: (count: number) => plural(count, 'Eintrag', 'Einträge'),
  make: 'Playlist anlegen',
  edit: 'Playlist bearbeiten',
  none: 'Noch keine Einträge. Unten lassen sich welche aus der Bibliothek hinzufügen.',
  failures: {
    upload_not_uploaded: 'Die Datei ist noch nicht hochgeladen, oder das Hochladen wurde unterbrochen.',
  } as Readonly<Record<string, string>>,
  missing: 'Diese Playlist gibt es nicht, oder sie wurde gelöscht.',
  same: 'Streams spielen diesen Entwurf.',
  different:
    'Streams spielen diesen Entwurf noch nicht. Ein Start veröffentlicht ihn. Wird er veröffentlicht, fährt ein ' +
    'laufender Stream nach dem aktuellen Eintrag mit dem nächsten fort.',
  publishing: 'Wird veröffentlicht: Zuerst werden die Medien aufbereitet.',
  publish: 'Veröffentlichen',
  publishFromFirst: 'Veröffentlichen und mit dem ersten Eintrag beginnen',
  discard: 'Entwurf verwerfen',
  discardAsk: 'Änderungen verwerfen?',
  discardText:
    'Der Entwurf entspricht dann wieder der zuletzt veröffentlichten Fassung. Seitherige Änderungen gehen verloren.',
  takesOver: (at: string) => `Die veröffentlichte Fassung ist ab ${at} auf Sendung.`,
  mode: 'Reihenfolge',
  modes: { sequential: 'Nacheinander', shuffle: 'In jedem Durchlauf gemischt' },
  marks: { added: 'Neu', moved: 'Verschoben' },
  beginsAt: (at: string) => `bei ${at} jedes Durchlaufs`,
  againstLive: (added: number, moved: number, removed: number) =>
    `Verglichen mit der laufenden Fassung: ${[
      added > 0 && `${added} neu`,
      moved > 0 && `${moved} verschoben`,
      removed > 0 && `${removed} entfernt`,
    ]
      .filter((part) => part !== false)
      .join(', ')}.`,
  takenOut: 'läuft, bis Sie veröffentlichen',
  up: (name: string) => `${name} nach oben`,
  down: (name: string) => `${name} nach unten`,
  position: (name: string) => `Platz von ${name}`,
  take: (name: string) => `${name} entfernen`,
  add: 'Aus der Bibliothek hinzufügen',
  addOne: (name: string) => `${name} hinzufügen`,
  conflict:
    'Inzwischen wurde die Playlist anderswo geändert. Dies ist die aktuelle Fassung: Bitte die Änderung bei Bedarf ' +
    'wiederholen.',
} satisfies Translation<typeof englishPlaylists>;
