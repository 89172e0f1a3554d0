// The words of public guides, and of the frames and proofs of a log, in German.
import type { guideWords as english } from './en-guide.ts';
import type { Translation } from './translation.ts';

export const guideWords = {
  title: 'Öffentliche Programmvorschau',
  text: 'Titel und Zeiten dieses Streams für Player, Programmführer, Kalender und Overlays, ohne Anmeldung.',
  make: 'Öffentliche Adressen erzeugen',
  present: 'Es gibt öffentliche Adressen. Sie werden nur einmal angezeigt: beim Erzeugen.',
  once: 'Diese Adressen jetzt kopieren. Sie werden nicht wieder angezeigt.',
  replace: 'Adressen ersetzen',
  replaceAsk: 'Öffentliche Adressen ersetzen?',
  replaceText:
    'Die bisherigen Adressen enden sofort: Overlays, Player und Kalender, die sie verwenden, bleiben stehen.',
  end: 'Adressen löschen',
  endAsk: 'Öffentliche Adressen löschen?',
  keep: 'Behalten',
  addresses: {
    nowTextURL: 'Aktueller Titel, als Text für ein Overlay',
    nowURL: 'Aktueller und nächster Eintrag, als JSON',
    jsonURL: 'Eine Woche, als JSON',
    xmltvURL: 'Eine Woche, als XMLTV für Player',
    calendarURL: 'Eine Woche, für Kalender',
    requestsURL: 'Wünsche von Zuschauern',
  },
  copy: (name: string) => `Adresse kopieren: ${name}`,
  requests: 'Wünsche von Zuschauern',
  requestsText: 'Zuschauer dürfen Einträge einer Sammlung vormerken, innerhalb dieser Grenzen.',
  needsProgramme: 'Wünsche brauchen ein veröffentlichtes Programm, denn sie werden darin vorgemerkt.',
  noRequests: 'Keine Wünsche erlaubt',
  collection: 'Zuschauer wählen aus',
  perHour: 'Wünsche pro Stunde, aller Zuschauer zusammen',
  perGuestMinutes: 'Wartezeit eines Zuschauers, in Minuten',
  sameItemMinutes: 'Ruhezeit eines Eintrags, in Minuten',
  frame: 'Bild ansehen',
  frameOf: (title: string) => `Bild von ${title} ansehen`,
  frameAt: 'Zeit im Eintrag',
  frameText: 'Das Bild, das zu dieser Zeit vorgesehen ist, aus der Datei erzeugt. Uhr und Ticker fehlen darin.',
  frameAlt: (title: string, time: string) => `${title} bei ${time}`,
  frameFailed: 'Für diese Zeit gibt es kein Bild.',
  sentBetween: 'Vom Ziel bestätigt',
  proof: 'Signierter Nachweis',
  proofHint: 'Signierte Erklärung für den Tag in UTC: vorgesehene Einträge, bestätigte Medien und der Hash jeder Datei',
} satisfies Translation<typeof english>;
