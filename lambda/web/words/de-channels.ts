// The words of connected channels, of broadcasts there, and of outputs, in German.
import type { channelsWords as englishChannels, outputsWords as englishOutputs } from './en-channels.ts';
import type { Translation } from './translation.ts';

export const channelsWords = {
  title: 'Verbundene Kanäle',
  text:
    'Ist ein Kanal verbunden, legt die Plattform seine Sendungen an, betitelt und beendet sie. Ein Streamschlüssel ' +
    'ist nicht nötig.',
  empty: 'Kein Kanal ist verbunden.',
  connect: (platform: string) => `${platform} verbinden`,
  notYet: 'Noch keine Zustimmung',
  states: {
    pending: 'Noch nicht verbunden',
    ok: 'Verbunden',
    grant_revoked: 'Zustimmung erloschen',
    scope_missing: 'Berechtigung fehlt',
    live_not_enabled: 'Livestreaming nicht freigeschaltet',
  },
  remedies: {
    pending: 'Der Link zur Zustimmung gilt 15 Minuten. Bitte erneut verbinden.',
    ok: '',
    grant_revoked:
      'Der Inhaber hat die Zustimmung widerrufen, oder sie ist abgelaufen. Streams auf diesem Kanal können nicht ' +
      'starten.',
    scope_missing:
      'Eine Berechtigung, die zum Streamen nötig ist, wurde nicht erteilt. Streams auf diesem Kanal können nicht ' +
      'starten.',
    live_not_enabled: 'Die Plattform hat Livestreaming noch nicht freigeschaltet. Bei YouTube dauert das einen Tag.',
  },
  verified: 'zuletzt geprüft',
  exhausted: (until: string) =>
    `Die Plattform nimmt bis ${until} keine Anfragen mehr an: Bis dahin beginnt keine Sendung.`,
  again: 'Erneut verbinden',
  open: 'Kanal öffnen',
  removeAsk: (name: string) => `${name} trennen?`,
  removeText: 'Unser Zugriff wird widerrufen. Streams mit den Einstellungen dieses Kanals können nicht mehr starten.',
  disconnect: 'Trennen',
  platforms: { youtube: 'YouTube', twitch: 'Twitch', kick: 'Kick' },
  firstText: 'Sendungen auf diesem Kanal beginnen und enden mit dem Stream. Mehr lässt sich unter „Ziele“ einstellen.',
  use: 'Diesen Kanal verwenden',
  kidsAnswers: { no: 'Nein', yes: 'Ja' },
  settings: 'Sendeeinstellungen',
  settingsText:
    'Titel und Sichtbarkeit von Sendungen auf einem Kanal. Jeder Stream verwendet eine dieser Einstellungen.',
  noSettings: 'Noch keine Einstellungen. Ein Stream braucht welche, um auf den Kanal zu gehen.',
  addSettings: 'Einstellungen hinzufügen',
  change: 'Ändern',
  changeOf: (name: string) => `${name} ändern`,
  name: 'Name',
  channel: 'Kanal',
  titleTemplate: 'Titel jeder Sendung',
  titleHint: '{item}, {date} und {n} stehen für das aktuelle Lied oder Video, den Tag und die Nummer.',
  description: 'Beschreibung',
  privacy: 'Sichtbar für',
  privacies: { public: 'Alle', unlisted: 'Alle mit dem Link', private: 'Nur Sie' },
  latency: 'Latenz',
  latencies: { normal: 'Normal', low: 'Niedrig', ultraLow: 'Extrem niedrig' },
  kids: 'Für Kinder gemacht (rechtlich verbindliche Angabe)',
  dvr: 'Zuschauer können zurückspulen',
  thumbnail: 'Vorschaubild',
  removeSettingsAsk: (name: string) => `Einstellungen ${name} löschen?`,
  removeSettingsText: 'Streams, die sie verwenden, können nicht mehr starten.',
  broadcasts: 'Sendungen',
  noBroadcasts: 'Noch keine: Die erste wird angelegt, wenn der Stream startet.',
  mirror: {
    done: 'Die Plattform ist auf dem neuesten Stand.',
    pending: 'Plattform wird aktualisiert.',
    blocked: 'Blockiert',
  },
  retryMirror: 'Jetzt erneut versuchen',
  retryAt: 'nächster Versuch',
  watch: 'Seite der Sendung',
  phases: {
    prepared: 'Vorbereitet',
    starting: 'Startet',
    live: 'Auf Sendung',
    ended: 'Beendet',
    failed: 'Nicht angelegt',
  },
  health: { good: 'Gut', ok: 'Ausreichend', bad: 'Schlecht', no_data: 'Keine Medien', unknown: 'Unbekannt' },
  healthOf: (state: string) => `die Plattform meldet: ${state}`,
  viewers: (count: string) => `${count} sehen zu`,
} satisfies Translation<typeof englishChannels>;

export const outputsWords = {
  title: 'Ausgänge',
  none: 'Noch kein Ausgang. Unten lässt sich ein Ziel hinzufügen.',
  attempt: (failed: string) => `${failed}, nächster Versuch`,
  retry: 'Jetzt erneut versuchen',
  pause: 'Anhalten',
  resume: 'Fortsetzen',
  pauseOf: (name: string) => `${name} anhalten`,
  resumeOf: (name: string) => `${name} fortsetzen`,
  paused: 'Angehalten',
  removeAsk: (name: string) => `Ausgang ${name} entfernen?`,
  removeText: 'Für Zuschauer dort endet der Stream sofort. Das Ziel selbst bleibt erhalten.',
  removeOf: (name: string) => `${name} löschen`,
  keep: 'Behalten',
  add: 'Ausgang hinzufügen',
  addAsk: (name: string) => `${name} als Ausgang hinzufügen?`,
  addText: (credits: string) =>
    `Er beginnt sofort und kostet zusätzlich ${credits} Credits pro Stunde, mit einer Reserve das Doppelte.`,
  toChannel: (channel: string) =>
    `Der Stream geht an den Kanal ${channel}: siehe „Sendungen“. Weitere Ziele sind möglich.`,
  to: 'Weiteres Ziel',
  allUsed: 'Jedes Ihrer Ziele ist bereits ein Ausgang.',
  first: 'zum vollen Preis',
} satisfies Translation<typeof englishOutputs>;
