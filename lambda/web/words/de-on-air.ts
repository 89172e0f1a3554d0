// The words of the items on the air and of the queue, in German.
import type { onAir as english } from './en-on-air.ts';
import type { Translation } from './translation.ts';

export const onAir = {
  kinds: { item: 'Eintrag', insert: 'Einspieler', filler: 'Füller', queued: 'Vorgemerkt', off_air: 'Sendepause' },
  skip: 'Überspringen',
  skipOne: (name: string, startAt: string) => `${name} überspringen, ${startAt}`,
  skipped: (at: string) => `Übersprungen. Der nächste Eintrag beginnt um ${at}.`,
  programme: 'Programm',
  programmeText:
    'Ein Programm plant von selbst, was der Stream spielt: Blöcke nach Tagen und Uhrzeiten, Jingles, keine ' +
    'Wiederholungen.',
  instead: 'Sobald es veröffentlicht ist, läuft es anstelle der Playlists.',
  make: 'Neues Programm',
  madeFor: 'Für',
  edit: 'Programm bearbeiten',
  editOf: { video: 'Programm des Videos bearbeiten', audio: 'Programm der Musik bearbeiten' },
  unpublished: 'Das Programm ist noch nicht veröffentlicht.',
  next: 'Als Nächstes spielen',
  nextHint:
    'Eine so vorgemerkte Datei läuft einmal, nach dem aktuellen Eintrag und allem, was vor ihr vorgemerkt wurde.',
  nextPreparing:
    'Sie wird für diesen Stream aufbereitet und läuft danach als Nächstes. Lassen Sie diese Seite so lange offen.',
  nextAt: (at: string) => `Sie läuft um ${at}.`,
  file: 'Datei',
  noFile: 'Datei auswählen',
  queue: 'Vorgemerkt',
  nothingQueued: 'Nichts ist vorgemerkt.',
  playsAt: (at: string) => `läuft um ${at}`,
  notPlanned: 'noch nicht eingeplant',
  take: 'Entfernen',
  takeOne: (name: string) => `${name} entfernen`,
  refusals: {
    skip_too_late: 'Der Eintrag endet gleich oder läuft zu dieser Zeit nicht mehr. Sonst wurde nichts übersprungen.',
    stream_not_running: 'Der Stream ist noch nicht auf Sendung. Er muss zuerst starten.',
    queued_item_begun: 'Der Eintrag läuft schon oder beginnt in weniger als 10 Sekunden.',
  } as Readonly<Record<string, string>>,
} satisfies Translation<typeof english>;
