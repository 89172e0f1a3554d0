// The words that each page needs at once, in German.
import type { entryWords as english } from './en-entry.ts';
import type { Translation } from './translation.ts';

export const entryWords = {
  product: 'Loop streaming',
  titles: {
    '/sign-in': 'Anmelden',
    '/sign-up': 'Registrieren',
    '/forgotten-password': 'Passwort vergessen',
    '/new-password': 'Neues Passwort',
    '/consent': 'Anwendung verbinden',
    '/device': 'Gerät verbinden',
    '/error': 'Nicht möglich',
  },
  nowhereText: 'Die Adresse enthält einen Fehler, oder ihr Inhalt wurde gelöscht.',
  nowhere: 'Hier ist nichts',
  toFirst: 'Zur Startseite',
  noAnswer: 'Die Plattform antwortet nicht. Bitte gleich noch einmal versuchen.',
  tooMany: 'Zu viele Versuche. Bitte eine Minute warten und es dann erneut versuchen.',
  requestFailed: 'Die Anfrage ist fehlgeschlagen. Bitte gleich noch einmal versuchen.',
  failed: 'Das hat nicht geklappt. Bitte gleich noch einmal versuchen.',
  refusals: {
    INVALID_EMAIL_OR_PASSWORD: 'Die Adresse oder das Passwort ist falsch.',
    EMAIL_NOT_VERIFIED:
      'Ihre Adresse ist noch nicht bestätigt. Wir schicken noch eine E-Mail mit einem Link, bis zu drei in der Stunde.',
    INVALID_PASSWORD: 'Das Passwort ist falsch.',
    INVALID_EMAIL: 'Das ist keine E-Mail-Adresse.',
    PASSWORD_TOO_SHORT: 'Das Passwort muss mindestens 10 Zeichen haben.',
    PASSWORD_TOO_LONG: 'Das Passwort darf höchstens 128 Zeichen haben.',
    INVALID_TOKEN: 'Dieser Link wurde schon verwendet oder ist zu alt. Bitte einen neuen anfordern.',
    UNKNOWN_CODE: 'Diesen Code gibt es nicht, oder er ist älter als zehn Minuten oder schon verwendet.',
    ACCOUNT_DISABLED: 'Dieses Konto ist gesperrt. Auskunft gibt, wer die Plattform betreibt.',
  } as Readonly<Record<string, string>>,
} satisfies Translation<typeof english>;
