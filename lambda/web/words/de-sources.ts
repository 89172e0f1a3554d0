// The words of watched sources, in German.
import type { sourceWords as english } from './en-sources.ts';
import { plural } from './plural.ts';
import type { Translation } from './translation.ts';

export const sourceWords = {
  hint: 'Ordner, Buckets und Feeds an anderen Orten. Neue Dateien darin gelangen von selbst in die Bibliothek.',
  emptyTitle: 'Einen Ordner überwachen',
  empty:
    'Dateien, die in einem Cloud-Ordner, einem Bucket oder einem Podcast-Feed erscheinen, werden binnen Minuten ' +
    'importiert.',
  add: 'Quelle überwachen',
  edit: 'Bearbeiten',
  editOf: (name: string) => `Quelle ${name} bearbeiten`,
  kind: 'Art',
  kinds: {
    webdav: 'Ordner über WebDAV (Nextcloud, ownCloud)',
    s3: 'Bucket (S3)',
    rss: 'Podcast-Feed (RSS)',
  },
  url: 'Adresse',
  urlHints: {
    webdav: 'Zum Beispiel https://cloud.example.org/remote.php/dav/files/ada/Videos/',
    s3: 'Server, Bucket und Ordner, zum Beispiel https://s3.example.org/my-bucket/shows/',
    rss: 'Zum Beispiel https://example.org/podcast.xml',
  },
  folder: 'Ordner in der Bibliothek',
  folderHint: 'Ordner der Quelle werden zu Unterordnern. Leer: kein Ordner.',
  everyMinutes: 'Minuten zwischen zwei Prüfungen',
  credentials: 'Anmeldung an der Quelle',
  keepCredentials: 'Bisherige behalten',
  signIns: {
    none: 'Nicht nötig',
    user: 'Name und Passwort',
    keys: 'Zugriffsschlüssel',
    role: 'AWS-Rolle',
  },
  username: 'Name',
  password: 'Passwort oder App-Passwort',
  accessKeyID: 'ID des Zugriffsschlüssels',
  secretAccessKey: 'Geheimer Zugriffsschlüssel',
  roleARN: 'ARN der Rolle',
  roleHint: 'Ihr Name beginnt mit loop-source. Die Quelle nennt danach das Konto, dem sie vertrauen muss.',
  secretHint: 'Wird verschlüsselt gespeichert und nie wieder angezeigt.',
  held: 'Nicht überwacht',
  heldText: 'Die Anwendung, die sie hinzugefügt hat, wurde getrennt. „Jetzt prüfen“ überwacht sie wieder.',
  states: { ok: 'Überwacht', failing: 'Gestört' },
  found: (imported: number, found: number) => `${imported} von ${plural(found, 'Datei', 'Dateien')} importiert`,
  every: (minutes: number) => (minutes === 1 ? 'jede Minute' : `alle ${minutes} Minuten`),
  looked: 'geprüft',
  neverLooked: 'noch nicht geprüft',
  scan: 'Jetzt prüfen',
  scanOf: (name: string) => `${name} jetzt prüfen`,
  scanning: 'Die Quelle wird gleich geprüft, höchstens einmal pro Minute.',
  removeAsk: 'Diese Quelle nicht mehr überwachen?',
  removeText:
    'Ihre Dateien bleiben in der Bibliothek. Neue werden nicht mehr importiert, und die Anmeldung wird gelöscht.',
  remove: 'Nicht mehr überwachen',
  keep: 'Behalten',
} satisfies Translation<typeof english>;
