// The token of a guide link, and the addresses built from it.
import * as z from 'zod';
import { requestPolicy } from './request-policy.ts';

/** The endings of the addresses: a week of the guide in three formats, and the current and next item in two. */
export const guideDocuments = ['.json', '.xml', '.ics', '/now.json', '/now.txt'] as const;
export type GuideDocument = (typeof guideDocuments)[number];

/** The length of a token: 192 random bits cannot be guessed. */
export const guideTokenBytes = 24;

export const guideLink = z
  .object({
    jsonURL: z.string(),
    xmltvURL: z.string(),
    calendarURL: z.string(),
    nowURL: z.string().describe('JSON of the current and the next item with artwork, for overlays.'),
    nowTextURL: z.string().describe('One line of text: the current item.'),
    requestsURL: z.string().describe('GET lists items that viewers may ask for; POST asks for one.'),
  })
  .meta({ id: 'GuideLink', examples: [addressesOf('A'.repeat(32), 'https://streams.example.org/v1')] });

/** The settings of a link. */
export const guideLinkSettings = z.object({ requests: requestPolicy.nullable() }).meta({ id: 'GuideLinkSettings' });

export function addressesOf(token: string, baseURL: string) {
  const address = (document: GuideDocument) => `${baseURL}/guides/${token}${document}`;
  return {
    jsonURL: address('.json'),
    xmltvURL: address('.xml'),
    calendarURL: address('.ics'),
    nowURL: address('/now.json'),
    nowTextURL: address('/now.txt'),
    requestsURL: `${baseURL}/guides/${token}/requests`,
  };
}
