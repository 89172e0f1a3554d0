// The words of the sign-in pages, in German.
import type { signInWords as english } from './en-sign-in.ts';
import type { Translation } from './translation.ts';

export const signInWords = {
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  signIn: 'Anmelden',
  signUp: 'Registrieren',
  signInInstead: 'Stattdessen anmelden',
  forgotten: 'Passwort vergessen?',
  oldLink:
    'Der Link wurde schon verwendet oder ist zu alt. Bitte anmelden: Ist Ihre Adresse noch nicht bestätigt, kommt so ' +
    'ein neuer.',
  confirm: 'Zur Bestätigung Ihrer Adresse bitte mit dem Passwort der Registrierung anmelden.',
  asked: 'Eine Anwendung bittet um Zugriff auf Ihr Konto. Nach der Anmeldung sehen Sie, was sie möchte.',

  lookIntoMail: 'Bitte E-Mails prüfen',
  mailed: {
    before: 'Wir haben eine E-Mail an',
    after: ' geschickt. Ihr Link bestätigt die Adresse und meldet Sie an.',
  },
  keptMails: 'Diese Maschine verschickt keine Mails. Das Terminal von `npm start` nennt die Datei jeder Mail.',
  noMail:
    'Nach einigen Minuten noch nichts da? Vielleicht liegt sie im Spam-Ordner. ' +
    'Eine Anmeldung schickt noch eine, bis zu drei in der Stunde.',
  name: 'Name',
  passwordHint: 'Mindestens 10 Zeichen. Gut sind ein paar Wörter.',

  forgottenTitle: 'Passwort vergessen',
  sendLink: 'Link schicken',
  linkMailed: {
    before: 'Gibt es ein Konto für',
    after: ', haben wir eine E-Mail mit einem Link für ein neues Passwort geschickt.',
  },

  deadLink: 'Dieser Link funktioniert nicht',
  deadLinkText: 'Er wurde schon verwendet oder ist zu alt.',
  another: 'Neuen Link anfordern',
  choosePassword: 'Neues Passwort wählen',
  changePassword: 'Passwort ändern',
  newPassword: 'Neues Passwort',
  newPasswordHint: 'Mindestens 10 Zeichen. Sie werden überall abgemeldet.',

  incomplete: 'Diese Anfrage ist unvollständig',
  beginAgain: 'Bitte zurück zur Anwendung gehen und dort noch einmal beginnen.',
  connect: 'Anwendung verbinden',
  connectAsk: (name: string) => `${name} verbinden?`,
  nameless: 'Eine Anwendung ohne Namen',
  asks: { before: 'möchte für Sie handeln. Danach geht es zurück an', after: '.' },
  anybody:
    'Jeder kann einen beliebigen Namen wählen. Stimmen Sie nur zu, wenn Sie das gerade selbst dort begonnen haben.',
  could: 'Die Anwendung könnte',
  agree: 'Zustimmen',
  refuse: 'Ablehnen',
  you: (email: string) => `Angemeldet als ${email}.`,
  notYou: 'Jemand anderes?',
  thisComputer: 'ein Programm auf diesem Computer',
  program: (protocol: string) => `ein Programm, das auf ${protocol} antwortet`,

  cannotContinue: 'Hier geht es nicht weiter',
  faulty: 'Etwas an der Anfrage der Anwendung stimmt nicht.',
  faultyText:
    'Bitte zurück zur Anwendung gehen und dort noch einmal beginnen. Geschieht es wieder, müssen es ihre Hersteller ' +
    'beheben.',
  faults: {
    invalid_client: 'Die Anwendung ist hier nicht oder nicht mehr registriert.',
    invalid_redirect: 'Die Anwendung möchte Sie an eine Adresse schicken, die sie nicht registriert hat.',
    client_disabled: 'Die Anwendung ist gesperrt.',
  } as Readonly<Record<string, string>>,
} satisfies Translation<typeof english>;
