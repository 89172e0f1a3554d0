// A guide as JSON, as XMLTV (xmltv.dtd 0.5), as a calendar (RFC 5545), and as a line of text.
// All of a user's text is escaped.

import { titleLine } from '../domain/playout/titles.ts';

export interface GuideItem {
  /** A block has the name of its user as its title. */
  readonly kind: 'item' | 'block' | 'live';
  readonly title: string;
  readonly artist: string | null;
  readonly album: string | null;
  /** Absent unless the guide includes artwork. */
  readonly artworkURL?: string | null;
  readonly startAt: Date;
  readonly endAt: Date;
}

export interface Guide {
  /** Identifies the stream, with the same value in every answer. */
  readonly channelID: string;
  readonly title: string;
  readonly at: Date;
  readonly isOnAir: boolean;
  readonly items: readonly GuideItem[];
}

export function jsonOf(guide: Guide): string {
  return JSON.stringify({ ...headOf(guide), items: guide.items });
}

export function nowJSONOf(guide: Guide): string {
  return JSON.stringify(headOf(guide));
}

/** Empty if nothing plays. */
export function nowTextOf(guide: Guide): string {
  const { now } = nowAndNext(guide);
  return `${now ? titleLine(now) : ''}\n`;
}

export function nowAndNext({ at, items }: Guide) {
  const now = items[0] && items[0].startAt <= at ? items[0] : null;
  return { now, next: items[now ? 1 : 0] ?? null };
}

function headOf(guide: Guide) {
  return { title: guide.title, at: guide.at, onAir: guide.isOnAir, ...nowAndNext(guide) };
}

export function xmltvOf({ channelID, title, items }: Guide): string {
  const channel = `${channelID}.guide`;
  const programmes = items.map(
    ({ title: name, artist, album, startAt, endAt }) =>
      `  <programme start="${xmltvTime(startAt)}" stop="${xmltvTime(endAt)}" channel="${channel}">\n` +
      `    <title>${xmlText(name)}</title>\n` +
      (artist === null ? '' : `    <sub-title>${xmlText(artist)}</sub-title>\n`) +
      (album === null ? '' : `    <desc>${xmlText(album)}</desc>\n`) +
      '  </programme>\n',
  );
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tv SYSTEM "xmltv.dtd">\n<tv>\n' +
    `  <channel id="${channel}">\n    <display-name>${xmlText(title)}</display-name>\n  </channel>\n` +
    `${programmes.join('')}</tv>\n`
  );
}

export function calendarOf({ channelID, title, at, items }: Guide): string {
  const events = items.flatMap(({ title: name, artist, startAt, endAt }) => [
    'BEGIN:VEVENT',
    `UID:${calendarTime(startAt)}-${channelID}@guide`,
    `DTSTAMP:${calendarTime(at)}`,
    `DTSTART:${calendarTime(startAt)}`,
    `DTEND:${calendarTime(endAt)}`,
    `SUMMARY:${calendarText(titleLine({ title: name, artist }))}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]);
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//loop streaming platform//guide//EN'];
  const lines = [...head, `NAME:${calendarText(title)}`, ...events, 'END:VCALENDAR'];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** The time as `20260131180000 +0000`. */
function xmltvTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')} +0000`;
}

/** The time as `20260131T180000Z`. */
function calendarTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function xmlText(text: string): string {
  // XML allows three control characters, no lone surrogates, and neither U+FFFE nor U+FFFF.
  const taken = text.toWellFormed().replaceAll(/[^\t\n\r\P{Cc}]|[\ufffe\uffff]/gu, '');
  return taken.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}

function calendarText(text: string): string {
  const taken = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\n\P{Cc}]/gu, ' ');
  return taken.replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
}

const mostLineBytes = 75;

/** A line has at most 75 bytes, and characters are never split. */
function folded(line: string): string {
  let result = '';
  let bytes = 0;
  for (const character of line) {
    const length = Buffer.byteLength(character);
    if (bytes + length > mostLineBytes) {
      result += '\r\n ';
      bytes = 1;
    }
    result += character;
    bytes += length;
  }
  return result;
}
