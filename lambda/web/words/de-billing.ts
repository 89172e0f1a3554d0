// The words of billing, in German.
import type { billingWords as english } from './en-billing.ts';
import type { Translation } from './translation.ts';

export const billingWords = {
  title: 'Abrechnung',
  left: 'Guthaben in Credits',
  worth: (dollars: string) => `entspricht ${dollars}`,
  burn: 'Derzeit Credits pro Stunde',
  nothingLive: 'Nichts ist auf Sendung',
  lasts: (at: string) => `Das Guthaben reicht bis ${at}`,
  free: 'Das Startguthaben ist unterwegs.',
  bad: 'Eine Zahlung ist offen oder strittig: Bis das geklärt ist, startet kein Stream.',
  topUp: 'Guthaben aufladen',
  amount: 'Dollar',
  toCheckout: 'Zur Kasse',
  checkoutHint:
    'Ein Credit entspricht einem US-Cent. Bezahlt wird auf der Seite des Zahlungsanbieters, danach geht es hierher ' +
    'zurück.',
  usage: 'Verbrauch',
  ranges: { day: 'Letzte 24 Stunden', month: 'Letzte 30 Tage', year: 'Letzte 12 Monate' },
  stream: 'Stream',
  allStreams: 'Alle Streams',
  byStream: 'Verbrauch nach Stream',
  unnamed: (id: string) => `Ohne Namen oder gelöscht (${id.slice(-6)})`,
  hoursLive: 'Sendestunden',
  creditsSpent: 'Credits',
  bytesSent: 'Gesendet',
  credits: (amount: string) => `${amount} Credits`,
  total: (credits: string, hours: string, sent: string) =>
    `${credits} Credits · ${hours} h auf Sendung · ${sent} gesendet`,
  noUsage: 'In dieser Zeit war nichts auf Sendung.',
  columns: {
    date: 'Datum',
    kind: 'Für',
    amount: 'Betrag',
    creditsColumn: 'Credits',
    state: 'Status',
    receipt: 'Beleg',
  },
  prices: {
    title: 'Preise',
    quality: 'Auflösung',
    upTo30: 'Credits pro Stunde, bis 30 Bilder pro Sekunde',
    at60: 'Credits pro Stunde, bei 60',
    more: (further: string, backup: string, storage: string) =>
      `Ein weiterer Ausgang kostet ${further} davon, eine Reserve ${backup}. Speicher über den freien Teil hinaus ` +
      `kostet ${storage} Credits je GiB und Monat. Streams, die nicht auf Sendung sind, kosten nichts.`,
  },
  invoices: 'Rechnungen',
  noInvoices: 'Noch keine Rechnungen.',
  receipt: 'Beleg',
  paid: 'Vielen Dank. Das Guthaben wird gutgeschrieben, sobald die Zahlung bestätigt ist.',
  added: (credits: string) => `Vielen Dank: ${credits} Credits wurden gutgeschrieben.`,
  stored: 'Gespeichert',
  storedFree: (free: string) => `${free} sind kostenlos`,
  types: {
    credit_purchase: 'Gekauftes Guthaben',
    free_credits: 'Startguthaben',
    adjustment: 'Korrektur',
  },
  invoiceStates: {
    pending: 'offen',
    paid: 'bezahlt',
    cancelled: 'storniert',
    expired: 'abgelaufen',
    refunded: 'erstattet',
  },
  coins: {
    title: 'Mit Kryptowährung bezahlen',
    currency: 'Währung',
    choose: 'Bitte auswählen',
    rate: (symbol: string, dollars: string) =>
      `Ein ${symbol} entspricht derzeit ${dollars}. Jede Einzahlung wird zum Kurs bei ihrem Eingang gutgeschrieben.`,
    address: (symbol: string, network: string) => `Ihre Adresse für ${symbol} im Netz ${network}`,
    only: (symbol: string, network: string) =>
      `Nur ${symbol} im Netz ${network} senden: Alles andere, was dorthin gesendet wird, ist verloren.`,
    memo: 'Memo (eine Zahlung ohne Memo ist verloren)',
    copyAddress: 'Adresse kopieren',
    copyMemo: 'Memo kopieren',
    picture: 'Die Adresse als QR-Code',
    deposits: 'Einzahlungen',
    states: {
      confirming: 'gesehen, wartet auf Bestätigungen',
      confirmed: 'gutgeschrieben',
      failed: 'fehlgeschlagen',
    },
    tooLittle: 'zu wenig für eine eigene Gutschrift',
  },
} satisfies Translation<typeof english>;
