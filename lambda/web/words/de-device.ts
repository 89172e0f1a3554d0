// The words of the page that confirms the code of a device, in German.
import type { deviceWords as english } from './en-device.ts';
import type { Translation } from './translation.ts';

export const deviceWords = {
  title: 'Gerät verbinden',
  ask: 'Bitte den Code eingeben, den Ihr Terminal oder Gerät zeigt.',
  code: 'Code',
  codeHint: 'Acht Buchstaben, etwa WDJB-MJHT',
  next: 'Weiter',
  connect: (name: string) => `${name} verbinden?`,
  asks: 'möchte für Sie handeln. Jetzt muss dort dieser Code stehen:',
  warning:
    'Jede Anwendung kann ihren Namen frei wählen. Stimmen Sie nur zu, wenn Sie das gerade selbst begonnen haben: Wer ' +
    'Ihnen den Code geschickt hat, käme sonst in Ihr Konto.',
  connected: 'Verbunden',
  connectedText: 'Das Gerät macht in wenigen Sekunden weiter. Diese Seite können Sie schließen.',
  account: 'Verbundene Anwendungen',
  refused: 'Abgelehnt',
  refusedText: 'Das Gerät bekommt nichts. Diese Seite können Sie schließen.',
} satisfies Translation<typeof english>;
