// The words of destinations and of their checks, in German.
import type { CheckStep } from '../../domain/destinations/destination-check.ts';
import type { destinationsWords as english } from './en-destinations.ts';
import { plural } from './plural.ts';
import type { Translation } from './translation.ts';

const steps: Readonly<Record<CheckStep, string>> = {
  address: 'Adresse gefunden',
  tcp: 'verbunden',
  tls: 'TLS',
  handshake: 'Handshake',
  app: 'Anwendung angenommen',
};

export const destinationsWords = {
  title: 'Ziele',
  empty: 'Noch keine Ziele',
  emptyText: 'Eine Plattform oder ein eigener Server, an den Streams gehen. Der Streamschlüssel bleibt geheim.',
  add: 'Ziel hinzufügen',
  platform: 'Plattform',
  presets: {
    youtube: 'YouTube',
    twitch: 'Twitch',
    facebook: 'Facebook',
    other: 'Eine andere (RTMP, SRT, HLS)',
  },
  name: 'Name',
  url: 'Adresse',
  key: 'Streamschlüssel',
  keyHint: 'Aus den Live-Einstellungen der Plattform. Wird verschlüsselt gespeichert und nie wieder angezeigt.',
  used: 'zuletzt auf Sendung',
  onAir: 'jetzt auf Sendung',
  neverUsed: 'nie verwendet',
  streams: (count: number) => plural(count, 'Stream', 'Streams'),
  replaceKey: 'Schlüssel ersetzen',
  replaceKeyOf: (name: string) => `Schlüssel ersetzen: ${name}`,
  newKey: 'Neuer Streamschlüssel',
  removeAsk: (name: string) => `${name} löschen?`,
  removeText: 'Der Schlüssel wird mitgelöscht. Streams, die dieses Ziel verwenden, brauchen ein anderes.',
  archive: 'Gelöschte Ziele',
  restore: 'Wiederherstellen',
  restoreOf: (name: string) => `${name} wiederherstellen`,
  check: 'Prüfen',
  checkOf: (name: string) => `Verbindung zu ${name} prüfen`,
  checking: 'Wird geprüft …',
  checked: 'Geprüft',
  backup: 'Reserveadresse',
  step: (step: CheckStep, isDone: boolean, ms: number) => `${isDone ? '✓' : '✗'} ${steps[step]} (${ms} ms)`,
} satisfies Translation<typeof english>;
