// The words of destinations and of their checks. They load with their screens.
import type { CheckStep } from '../../domain/destinations/destination-check.ts';
import { plural } from './plural.ts';

const steps: Readonly<Record<CheckStep, string>> = {
  address: 'address found',
  tcp: 'connected',
  tls: 'TLS',
  handshake: 'handshake',
  app: 'application accepted',
};

export const destinationsWords = {
  title: 'Destinations',
  empty: 'No destinations yet',
  emptyText: 'A platform or a server of your own that streams are sent to. Its stream key stays secret.',
  add: 'Add a destination',
  platform: 'Platform',
  presets: {
    youtube: 'YouTube',
    twitch: 'Twitch',
    facebook: 'Facebook',
    other: 'Any other (RTMP, SRT, HLS)',
  },
  name: 'Name',
  url: 'Address',
  key: 'Stream key',
  keyHint: 'From the platform’s live settings. It is sealed, and never shown again.',
  used: 'last live',
  onAir: 'on air now',
  neverUsed: 'never used',
  streams: (count: number) => plural(count, 'stream', 'streams'),
  replaceKey: 'Replace the key',
  replaceKeyOf: (name: string) => `Replace the key of ${name}`,
  newKey: 'New stream key',
  removeAsk: (name: string) => `Delete ${name}?`,
  removeText: 'Its key is deleted with it. Streams that use it need another destination.',
  archive: 'Deleted destinations',
  restore: 'Restore',
  restoreOf: (name: string) => `Restore ${name}`,
  check: 'Check',
  checkOf: (name: string) => `Check the connection to ${name}`,
  checking: 'Checking …',
  checked: 'Checked',
  backup: 'Backup address',
  step: (step: CheckStep, isDone: boolean, ms: number) => `${isDone ? '✓' : '✗'} ${steps[step]} (${ms} ms)`,
} as const;
