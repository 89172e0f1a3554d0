// The words of programmes: of their rules, their week, their versions and their simulation, in German.
import type { SeparationKey } from '../../domain/programme/programme-rules.ts';
import type { programmeWords as english } from './en-programmes.ts';
import { plural } from './plural.ts';
import type { Translation } from './translation.ts';

const list = new Intl.ListFormat('de');

/** Such as `1 h 30 min`. */
function lengthWords(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ');
}

const separationNames: Readonly<Record<SeparationKey, string>> = {
  upload: 'dieselbe Datei',
  title: 'derselbe Titel',
  artist: 'derselbe Interpret',
  album: 'dasselbe Album',
  tag: 'dasselbe Schlagwort',
};

export const programmeWords = {
  title: 'Programm',
  titleOf: (stream: string) => `Programm von ${stream}`,
  missing: 'Dieses Programm gibt es nicht, oder es wurde gelöscht.',
  toStream: 'Zurück zum Stream',
  toDays: 'Programm eines Tages ansehen',
  collections: 'Sammlungen',
  lengthWords,
  list: (parts: readonly string[]) => list.format(parts),

  save: 'Entwurf speichern',
  discard: 'Änderungen verwerfen',
  unsaved: 'Einige Änderungen sind noch nicht gespeichert.',
  saved: 'Der Entwurf ist gespeichert.',
  live: 'Der Stream spielt diesen Entwurf.',
  different: 'Bis zum Veröffentlichen spielt der Stream eine ältere Fassung.',
  unpublished: 'Noch nicht veröffentlicht: Der Stream spielt es nicht.',
  publish: 'Veröffentlichen',
  invalid: 'Einige Regeln müssen geändert werden. Die Gründe stehen daneben.',
  conflict:
    'Inzwischen wurde das Programm anderswo geändert. Um die aktuelle Fassung zu sehen, bitte die Änderungen ' +
    'verwerfen.',
  remove: 'Programm löschen',
  removeAsk: 'Dieses Programm löschen?',
  removeText: 'Seine Regeln und Fassungen gehen verloren. Dateien und Sammlungen bleiben.',
  keep: 'Behalten',

  zone: 'Zeitzone',
  zoneText: (zone: string) => `Tage und Uhrzeiten gelten in ${zone}.`,

  blocks: 'Blöcke',
  blocksHint: 'Einträge nach Zeit. Ein Block, der immer gilt, läuft, wenn kein anderer läuft.',
  noBlocks: 'Noch keine Blöcke.',
  addBlock: 'Block hinzufügen',
  newBlock: 'Neuer Block',
  removeBlock: 'Diesen Block entfernen',
  name: 'Name',
  when: 'Wann',
  whens: {
    always: 'Immer',
    day: 'Jeden Tag',
    week: 'An bestimmten Wochentagen',
    rule: 'Nach einer Regel (RFC 5545)',
  },
  days: 'Tage',
  weeks: 'Alle … Wochen',
  everyDays: 'Alle … Tage',
  rule: 'Regel',
  ruleHint: 'Zum Beispiel FREQ=MONTHLY;BYDAY=1FR',
  from: 'Ab',
  minutes: 'Dauer in Minuten',
  firstDay: 'Erster Tag',
  lastDay: 'Letzter Tag',
  priority: 'Vorrang',
  priorityHint: 'Wo sich Blöcke überschneiden, gilt der höchste.',
  begins: 'Beginn',
  starts: {
    next_item: 'sobald der vorige Eintrag zu Ende ist',
    hard: 'auf die Sekunde: Was läuft, wird abgebrochen',
  },
  latest: 'Höchstens … Minuten verspätet',
  ends: 'Ende',
  endings: {
    finish: 'sobald der letzte Eintrag zu Ende ist',
    cut: 'auf die Sekunde: Der letzte Eintrag wird abgebrochen',
    fill: 'auf die Sekunde, mit Füllern',
  },
  always: 'Immer, wenn kein anderer Block läuft',
  daily: (interval: number) => (interval === 1 ? 'Jeden Tag' : `Alle ${interval} Tage`),
  weekly: (days: string, interval: number) => (interval === 1 ? days : `${days}, alle ${interval} Wochen`),
  byRule: 'Nach eigener Regel',
  hours: (days: string, at: string, minutes: number) => `${days} ab ${at}, ${lengthWords(minutes)} lang`,
  between: (first: string | null, last: string | null) =>
    [first && `ab ${first}`, last && `bis ${last}`].filter(Boolean).join(' '),
  beginWords: { hard: 'beginnt auf die Sekunde', next_item: 'wartet auf den vorigen Eintrag' },
  lateWords: (minutes: number) => `höchstens ${minutes} min lang`,
  endWords: {
    finish: 'spielt den letzten Eintrag zu Ende',
    cut: 'bricht den letzten Eintrag ab',
    fill: 'endet auf die Sekunde, mit Füllern',
  },
  priorityWords: (priority: number) => `Vorrang ${priority}`,

  offAir: 'Art',
  offAirs: { false: 'Programm', true: 'Sendepause: ein Testbild, ohne Einspieler und nicht in der Vorschau' },
  offAirWords: 'Sendepause',
  guide: 'In der öffentlichen Programmvorschau',
  guides: { items: 'jeder seiner Einträge', block: 'ein Eintrag mit seinem Namen', hidden: 'nicht gezeigt' },
  guideWords: { block: 'ein Eintrag der Vorschau', hidden: 'nicht in der Vorschau' },
  liveInput: 'Live-Eingang',
  noLiveInput: 'Keiner',
  liveInputHint:
    'Solange dieser Block läuft, ist eine Zuspielung an diesen Eingang statt seiner Einträge zu sehen. Ohne sie ' +
    'laufen die Einträge.',
  liveOf: 'Zuspielung an',
  liveMark: 'mit Zuspielung',

  steps: 'Inhalt',
  ordered: 'Mischung',
  orders: { true: 'In dieser Reihenfolge', false: 'Abwechselnd nach Gewicht' },
  step: (place: number) => `Teil ${place}`,
  addStep: 'Teil hinzufügen',
  removeStep: 'Diesen Teil entfernen',
  source: 'Sammlung oder Datei',
  noCollections:
    'Es gibt noch keine Sammlung dieser Art. Bitte zuerst unter „Sammlungen“ eine anlegen oder eine Datei auswählen.',
  noSource: 'Bitte auswählen',
  oneFile: 'Eine einzelne Datei …',
  file: 'Datei',
  noFile: 'Datei auswählen',
  gone: 'etwas Gelöschtes',
  count: 'Einträge in Folge',
  weight: 'Gewicht',
  plays: 'spielt',
  mixes: 'mischt',
  thenNext: ', dann ',

  inserts: 'Einspieler',
  insertsHint: 'Einträge zwischen anderen, etwa Jingles und Werbung.',
  noInserts: 'Noch keine Einspieler.',
  addInsert: 'Einspieler hinzufügen',
  newInsert: 'Neuer Einspieler',
  removeInsert: 'Diesen Einspieler entfernen',
  insertWhens: {
    everyItems: 'Nach einer Anzahl von Einträgen',
    everyMinutes: 'Nach einer Anzahl von Minuten',
    atMinutes: 'Zu bestimmten Minuten jeder Stunde',
    beforeBlockID: 'Vor einem Block',
    afterBlockID: 'Nach einem Block',
    midRoll: 'Innerhalb langer Einträge',
  },
  everyItems: 'Alle … Einträge',
  everyMinutes: 'Alle … Minuten',
  atMinutes: 'Minuten der Stunde',
  atMinutesHint: 'Zum Beispiel 0, 30',
  block: 'Block',
  noBlock: 'Block auswählen',
  anyBlock: 'Jeder Block',
  midRollEvery: 'Alle … Minuten eines Eintrags',
  keepLast: 'Nicht in den letzten … Minuten',
  perBreak: 'Einträge auf einmal',
  mostPerHour: 'Höchstens … pro Stunde',
  anyNumber: 'Leer: beliebig viele.',
  shortestGap: 'Minuten zwischen zwei Einspielern, mindestens',
  introUploadID: 'Beginnt mit',
  outroUploadID: 'Endet mit',
  noFraming: 'Nichts',
  insertWords: {
    everyItems: (items: number) => (items === 1 ? 'nach jedem Eintrag' : `alle ${items} Einträge`),
    everyMinutes: (minutes: number) => `alle ${lengthWords(minutes)}`,
    atMinutes: (minutes: readonly number[]) =>
      `jede Stunde um ${list.format(minutes.map((minute) => `:${String(minute).padStart(2, '0')}`))}`,
    beforeBlockID: (block: string) => `vor ${block}`,
    afterBlockID: (block: string) => `nach ${block}`,
    midRoll: (minutes: number, lastMinutes: number, block: string | null) => {
      const items = block === null ? 'von Einträgen' : `von Einträgen in ${block}`;
      return `alle ${lengthWords(minutes)} innerhalb ${items}, nicht in ihren letzten ${lengthWords(lastMinutes)}`;
    },
  },
  mostPerHourWords: (most: number) => `höchstens ${most}-mal pro Stunde`,
  shortestGapWords: (minutes: number) => `mit mindestens ${lengthWords(minutes)} Abstand`,

  separation: 'Abstände',
  separationHint: 'Abstände zwischen ähnlichen Einträgen, die wichtigsten zuerst.',
  noSeparation: 'Noch keine Abstände: Einträge dürfen sich jederzeit wiederholen.',
  addSeparation: 'Abstand hinzufügen',
  removeSeparation: 'Diesen Abstand entfernen',
  by: 'Auseinanderhalten',
  alike: separationNames,
  tagPrefix: 'Schlagwörter, die beginnen mit',
  tagPrefixHint: 'Leer: alle Schlagwörter.',
  items: 'Andere Einträge dazwischen, mindestens',
  apartMinutes: 'Minuten dazwischen, mindestens',
  strength: 'Strenge',
  strengths: {
    must: 'Immer: wird nur aufgegeben, wenn sonst nichts laufen könnte',
    should: 'Wenn möglich: wird zuerst aufgegeben',
  },
  apartWords: (items: number, minutes: number) =>
    [
      items > 0 && `${plural(items, 'anderer Eintrag', 'andere Einträge')} dazwischen`,
      minutes > 0 && `${lengthWords(minutes)} dazwischen`,
    ]
      .filter(Boolean)
      .join(', '),
  tagged: (prefix: string) => `Schlagwörter mit ${prefix}…`,
  strengthWords: { must: 'immer', should: 'wenn möglich' },

  fillerAndLimits: 'Füller und Grenzen',
  filler: 'Füller',
  fillerHint:
    'Kurze Einträge für die Zeit vor einem Beginn auf die Sekunde. Ohne sie wird der letzte Eintrag abgebrochen.',
  hasFiller: 'Die Zeit vor einem Beginn auf die Sekunde füllen',
  insertSeconds: 'Sekunden für Einspieler pro Stunde, höchstens',

  week: 'Woche',
  weekHint: 'Ein Klick auf einen Block öffnet ihn. Ein Block, der immer gilt, läuft hinter den anderen.',
  weekKeys:
    'Ein Block und seine Ränder lassen sich ziehen. Die Pfeiltasten verschieben ihn: auf und ab um fünf Minuten, ' +
    'seitwärts auf einen anderen Tag, mit der Umschalttaste sein Ende.',
  undo: 'Rückgängig',
  openBlock: 'Block bearbeiten',
  hoursOf: (block: string, day: string) => `Zeiten von ${block}, ${day}`,
  moves: {
    earlier: '15 Minuten früher',
    later: '15 Minuten später',
    longer: '15 Minuten länger',
    shorter: '15 Minuten kürzer',
    dayBefore: 'Auf den Tag davor',
    dayAfter: 'Auf den Tag danach',
  },
  weekOf: (day: string) => `Woche ab ${day}`,
  weekBefore: 'Vorherige Woche',
  weekAfter: 'Nächste Woche',
  thisWeek: 'Diese Woche',
  alwaysOn: 'Immer, hinter den anderen:',
  notShown: 'Nach eigener Regel, nicht in diesem Bild:',
  emptyDay: 'Kein eigener Block.',
  inDay: (from: string, until: string) => `${from}–${until}`,
  continued: 'Fortsetzung',

  changes: 'Auswirkungen',
  compare: 'Zeigen, was ein Veröffentlichen ändert',
  compareHint: 'Verglichen wird der gespeicherte Entwurf mit der veröffentlichten Fassung, für 24 Stunden.',
  nothingChanges: 'In den nächsten 24 Stunden ändert sich nichts.',
  changeSummary: (same: number, moved: number, changed: number) =>
    [
      plural(changed, 'Platz ändert sich', 'Plätze ändern sich'),
      plural(same, 'Eintrag bleibt zu seiner Zeit', 'Einträge bleiben zu ihrer Zeit'),
      `${plural(moved, 'Eintrag läuft', 'Einträge laufen')} zu einer anderen Zeit.`,
    ].join('; '),
  changedRules: (rules: readonly string[]) => `Geändert: ${list.format(rules)}.`,
  dueTo: (rules: readonly string[]) => `Ursache: ${list.format(rules)}`,
  dueToEarlier: 'Folge früherer Änderungen',
  dueToOthers: (rules: readonly string[]) => `Folge früherer Änderungen oder von: ${list.format(rules)}`,
  before: 'Bisher',
  after: 'Dann',
  nothing: 'nichts',
  further: (count: number) => `und ${count} weitere`,
  moreChanges: 'Weitere Änderungen werden nicht gezeigt.',
  ruleNames: {
    blocks: 'die Reihenfolge der Blöcke',
    inserts: 'die Reihenfolge der Einspieler',
    timeZone: 'die Zeitzone',
    separation: 'die Abstände',
    filler: 'die Füller',
    insertSecondsPerHour: 'die Höchstdauer der Einspieler pro Stunde',
  } as Readonly<Record<string, string>>,
  blockNamed: (name: string) => `Block „${name}“`,
  insertNamed: (name: string) => `Einspieler „${name}“`,
  blockGone: 'ein entfernter Block',
  insertGone: 'ein entfernter Einspieler',

  versions: 'Fassungen',
  noVersions: 'Noch nichts veröffentlicht.',
  version: (publishedAt: string) => `Veröffentlicht am ${publishedAt}`,
  versionText: (blocks: number, inserts: number) =>
    `${plural(blocks, 'Block', 'Blöcke')}, ${plural(inserts, 'Einspieler', 'Einspieler')}`,
  playing: 'aktuell',
  revert: 'Wiederherstellen',
  revertOf: (publishedAt: string) => `Die Fassung vom ${publishedAt} wiederherstellen`,
  revertAsk: 'Den Entwurf durch diese Fassung ersetzen?',
  revertText:
    'Die Regeln des jetzigen Entwurfs gehen verloren. Der Stream spielt die Fassung, sobald sie veröffentlicht wird.',

  daysTitle: 'Tage des Programms',
  daysHint:
    'Die Einträge des gespeicherten Entwurfs, wenn er um Mitternacht dieses Tages begänne, nach allem, was der ' +
    'Stream bis dahin gespielt oder geplant hat. Auf Sendung ändert sich nichts.',
  day: 'Tag',
  dayBefore: 'Vorheriger Tag',
  dayAfter: 'Nächster Tag',
  span: 'Summen für',
  spans: { 1: 'diesen Tag', 7: '7 Tage ab diesem', 30: '30 Tage ab diesem' },
  csv: 'CSV herunterladen (bis 1.000 Einträge)',
  toProgramme: 'Zurück zum Programm',
  totals: 'Summen',
  rows: 'Einträge',
  files: 'Verschiedene Dateien',
  shares: (share: string, time: string) => `${share} · ${time}`,
  ofItems: 'Einträge der Blöcke',
  ofInserts: 'Einspieler',
  ofFiller: 'Füller',
  cutOffs: 'Abgebrochen',
  issues: {
    programme_gap: 'Nichts ist geplant',
    collection_empty: 'Eine Sammlung hat keine abspielbare Datei',
    collection_cut: 'Eine Sammlung wird nur zum Teil gelesen: Das Programm hat zu viele Dateien',
    rule_relaxed: 'Ein Abstand lässt sich nicht einhalten',
    block_never_plays: 'Ein Block läuft in dieser Zeit nicht',
    insert_never_plays: 'Ein Einspieler läuft in dieser Zeit nicht',
  },
  issueOf: (issue: string, rule: string) => `${issue}: ${rule}`,
  issueCount: (count: number, firstAt: string | null) => (firstAt === null ? '' : `${count}-mal, zuerst ${firstAt}`),
  noIssues: 'Alle Regeln werden eingehalten, und es gibt keine Lücken.',
  dayNamed: (day: string) => `Einträge am ${day}`,
  distance: (alike: string, apart: string) => `${alike} (${apart})`,
  cutOff: 'abgebrochen',
  relaxed: (rule: string) => `verletzt: ${rule}`,
  passedOver: (count: number) => `${plural(count, 'Datei', 'Dateien')} übergangen`,
  nothingPlays: 'An diesem Tag läuft nichts.',
} satisfies Translation<typeof english>;
