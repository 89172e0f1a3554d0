// Remedies of readiness issues, in German.
import type { remediesWords as english } from './en-readiness.ts';
import type { Translation } from './translation.ts';

const soon = 'Das dauert nur einen Moment.';
const underWay = 'Der Upload läuft noch oder wurde unterbrochen: siehe die Uploads unten oder die Bibliothek.';
const findings = 'Die Bibliothek führt die Befunde auf. Beim Start läuft die Datei unverändert.';

export const remediesWords: Translation<typeof english> = {
  no_video: 'Unter „Programm“ eine Datei auswählen oder eine Playlist anlegen.',
  upload_missing: 'Unter „Programm“ eine andere Datei auswählen.',
  upload_not_uploaded: underWay,
  upload_not_probed: soon,
  upload_unusable: 'Die Bibliothek nennt den Grund. Unter „Programm“ eine andere Datei auswählen.',
  upload_not_visual: 'Unter „Programm“ ein Video oder ein Bild auswählen.',
  audio_missing: 'Anderen Ton auswählen.',
  audio_not_uploaded: underWay,
  audio_not_probed: soon,
  audio_unusable: 'Die Bibliothek nennt den Grund. Anderen Ton auswählen.',
  audio_silent: 'Eine Datei mit Ton auswählen.',
  logo_missing: 'Unter „Ton und Bild“ ein anderes Logo auswählen oder auf das Logo verzichten.',
  logo_not_probed: 'Das dauert nur einen Moment. Ein laufender Stream zeigt es dann an.',
  logo_unusable:
    'Die Bibliothek nennt den Grund. Unter „Ton und Bild“ ein anderes Bild als Logo auswählen oder darauf verzichten.',
  join_without_track: 'Unter „Ton und Bild“ denselben Übergang für Bilder auswählen oder eine Tonspur hinzufügen.',
  next_not_prepared: 'Die Playlist der Reihe nach abspielen oder „Nächster Eintrag“ unter „Ton und Bild“ ausschalten.',
  stinger_missing: 'Unter „Ton und Bild“ einen Stinger aus der Bibliothek oder einen anderen Übergang auswählen.',
  stinger_not_probed: 'Der Stinger wird noch geprüft. Danach wird er abgespielt.',
  stinger_unusable:
    'Unter „Ton und Bild“ ein kurzes Video auswählen, das spätestens zwei Sekunden nach dem Wechsel endet.',
  running_not_prepared:
    'Den Stream mit dem Backend ffmpeg anlegen oder Uhr und Ticker unter „Ton und Bild“ ausschalten.',
  captions_missing: 'In der Bibliothek Untertitel zu einem Video hinzufügen oder sie unter „Ton und Bild“ ausschalten.',
  playlist_missing: 'Unter „Programm“ eine Playlist anlegen oder eine Datei auswählen.',
  nothing_to_plan: 'Dateien hinzufügen, aus denen sich die Sammlungen füllen.',
  programme_gap:
    'Einen Block hinzufügen, der läuft, wenn kein anderer läuft, oder Füller, und das Programm veröffentlichen.',
  collection_empty: 'Der Sammlung Dateien hinzufügen oder im Programm eine andere auswählen.',
  collection_cut:
    'Im Programm weniger oder kleinere Sammlungen auswählen: Die der letzten Regeln werden nur zum Teil gelesen.',
  never_plays: 'In der Bibliothek die Zeiten der Dateien ändern oder im Programm die Uhrzeiten des Blocks.',
  overlap_shadowed: 'Im Programm den Vorrang des Blocks erhöhen oder seine Uhrzeiten ändern.',
  live_input_missing: 'Im Programm für den Block einen anderen oder keinen Live-Eingang auswählen.',
  live_needs_manifest:
    'Den Stream unter „Einstellungen“ vorab aufbereiten lassen oder für den Block keinen Live-Eingang auswählen.',
  insert_does_not_fit: 'Im Programm die Minuten des Einspielers verkürzen oder längere Einträge auswählen.',
  runs_empty: 'Der Sammlung Dateien hinzufügen oder diese in der Bibliothek länger gelten lassen.',
  rule_unmeetable: 'Dem Block andere Einträge hinzufügen oder im Programm den Abstand verkürzen.',
  playlist_empty: 'Einträge hinzufügen.',
  playlist_not_probed: soon,
  playlist_not_playable: 'Die Playlist nennt den Fehler jedes Eintrags. Diese Einträge ersetzen.',
  destination_missing: 'Unter „Einstellungen“ ein Ziel auswählen oder unter „Ausgänge“ eines hinzufügen.',
  destination_live: 'Zuerst den anderen Stream stoppen oder für diesen unter „Einstellungen“ ein anderes Ziel wählen.',
  backup_url_missing: 'Dem Ziel eine Reserveadresse geben oder ohne Reserve senden.',
  not_connected: 'Unter „Ziele“ einen Kanal verbinden oder unter „Einstellungen“ ein Ziel auswählen.',
  settings_missing: 'Unter „Ziele“ Sendeeinstellungen auswählen.',
  grant_revoked: 'Den Kanal unter „Ziele“ erneut verbinden.',
  grant_expiring: 'Den Kanal vorher unter „Ziele“ erneut verbinden.',
  scope_missing: 'Den Kanal unter „Ziele“ erneut verbinden und jede Berechtigung erteilen.',
  live_not_enabled:
    'Livestreaming muss vom Inhaber des Kanals dort freigeschaltet werden; das kann einen Tag dauern. Danach den ' +
    'Kanal erneut verbinden.',
  health_bad: 'Die Sendung des Streams zeigt die Befunde der Plattform.',
  title_cut: 'Den Titel unter „Ziele“ kürzen.',
  video_findings: findings,
  audio_findings: findings,
  playlist_findings: 'Die Bibliothek führt die Befunde auf. Beim Start laufen die Dateien unverändert.',
  playlist_items_skipped:
    'Die Playlist nennt den Fehler jedes Eintrags. Beim Start werden diese Einträge übersprungen.',
  draft_not_published: 'Die Playlist veröffentlichen: Ihre Seite zeigt die Änderungen.',
  no_credits: 'Unter „Abrechnung“ Guthaben aufladen.',
  schedule_end_past: 'Im „Sendeplan“ ein späteres Ende planen.',
  recurrence_without_end: 'Im „Sendeplan“ ein Ende planen.',
};
