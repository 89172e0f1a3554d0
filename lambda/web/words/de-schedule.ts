// The words of the schedule, in German.
import type { scheduleWords as english } from './en-schedule.ts';
import type { Translation } from './translation.ts';

export const scheduleWords = {
  title: 'Sendeplan',
  zone: (zone: string) => `Alle Zeiten in Ihrer Zeitzone, ${zone}.`,
  before: 'Vorherige Woche',
  after: 'Nächste Woche',
  thisWeek: 'Diese Woche',
  forward: 'Die Uhr wird vorgestellt: Dieser Tag hat 23 Stunden.',
  back: 'Die Uhr wird zurückgestellt: Dieser Tag hat 25 Stunden.',
  empty: 'Nichts geplant.',
  open: 'bis zum Stoppen',
  until: (end: string) => `bis ${end}`,
  running: 'Fortsetzung',
  skip: 'Diesmal auslassen',
  restore: 'Nicht auslassen',
  skipped: 'Ausgelassen',
  cut: (until: string) => `Die Liste ist gekürzt: Sie endet am ${until}.`,
  planned: 'Planungen',
  nonePlanned: 'Kein Stream ist geplant.',
  next: (start: string) => `Nächster Start: ${start}`,
  weekly: (days: string) => `Jede Woche: ${days}`,
  byRule: (rule: string) => `Nach der Regel ${rule}`,
  hours: (start: string, end: string | null, zone: string, here: string | null) =>
    `${end === null ? `ab ${start}` : `${start}–${end}`}, ${zone.replaceAll('_', ' ')}` +
    (here === null ? '' : ` (hier ${here})`),
  drag: 'Eine Sendung auf eine andere Zeit ziehen oder öffnen.',
  openStream: 'Stream öffnen',
  edit: 'Bearbeiten',
  editOf: (name: string) => `Planung von ${name} bearbeiten`,
  cancelIt: 'Planung aufheben',
  cancelAsk: (name: string) => `Planung von ${name} aufheben?`,
  cancelText: 'Der Stream startet nicht mehr von selbst. Seine Einstellungen bleiben.',
  keep: 'Behalten',
  plan: 'Stream planen',
  planOf: (name: string) => `Planung von ${name}`,
  stream: 'Stream',
  noStreams: 'Kein Stream lässt sich planen: Jeder ist auf Sendung oder geplant, oder es gibt noch keinen.',
  start: 'Beginn',
  end: 'Ende (leer: bis zum Stoppen)',
  inZone: 'Zeitzone',
  repeat: 'Wiederholung',
  repetitions: { never: 'Einmal', daily: 'Jeden Tag', weekly: 'Jede Woche am …', other: 'Nach einer Regel (RFC 5545)' },
  days: 'Tage (keiner: der des Beginns)',
  rule: 'Regel',
  ruleHint: 'Zum Beispiel FREQ=MONTHLY;BYDAY=1FR',
  would: (count: number, zone: string | null) =>
    `Der Stream würde starten: (${count === 1 ? 'der erste Termin' : `die ersten ${count} Termine`}` +
    `${zone === null ? '' : `, in Ihrer Zeitzone ${zone}`})`,
  planIt: 'Planen',
} satisfies Translation<typeof english>;
