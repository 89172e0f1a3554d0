// The token of a guide link, and the addresses that it makes.
import * as z from 'zod';

/** What comes after the token: of a week, or of what plays now and next. */
export const guideDocuments = ['.json', '.xml', '.ics', '/now.json', '/now.txt'] as const;
export type GuideDocument = (typeof guideDocuments)[number];

/** 192 bits: nobody guesses one. */
export const guideTokenBytes = 24;

export const guideLink = z
  .object({
    jsonURL: z.string(),
    xmltvURL: z.string(),
    calendarURL: z.string(),
    nowURL: z.string().describe('What plays now and next, with artwork, for overlays: JSON.'),
    nowTextURL: z.string().describe('What plays now: a line of text.'),
  })
  .meta({ id: 'GuideLink', examples: [addressesOf('A'.repeat(32), 'https://streams.example.org/v1')] });

export function addressesOf(token: string, baseURL: string) {
  const address = (document: GuideDocument) => `${baseURL}/guides/${token}${document}`;
  return {
    jsonURL: address('.json'),
    xmltvURL: address('.xml'),
    calendarURL: address('.ics'),
    nowURL: address('/now.json'),
    nowTextURL: address('/now.txt'),
  };
}
