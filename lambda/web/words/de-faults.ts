// The words of faults in fields of requests, in German.
import type { faultsWords as english } from './en-faults.ts';
import type { Translation } from './translation.ts';

export const faultsWords = {
  collectionOrFile: 'Bitte eine Sammlung oder eine Datei auswählen.',
  insertTime: 'Bitte auswählen, wann der Einspieler läuft.',
  time: 'Bitte eine Uhrzeit eingeben, zum Beispiel 20:00.',
  block: 'Bitte einen Block auswählen.',
  beforeFirstDay: 'Das liegt vor dem ersten Tag.',
  daysOnly: 'Die Regel darf nur Tage nennen: Für Uhrzeiten gibt es eigene Felder.',
  itemsOrMinutes: 'Bitte eine Anzahl von Einträgen, von Minuten oder beides eingeben.',
  tag: 'Bitte mindestens ein Schlagwort eingeben.',
  seriesOnly: 'Nur Serien haben Gruppen.',
} satisfies Translation<typeof english>;
