// The token of a guide link, and the addresses that it makes.
import * as z from 'zod';

export const guideFormats = ['json', 'xml', 'ics'] as const;
export type GuideFormat = (typeof guideFormats)[number];

/** 192 bits: nobody guesses one. */
export const guideTokenBytes = 24;

export const guideLink = z
  .object({ jsonURL: z.string(), xmltvURL: z.string(), calendarURL: z.string() })
  .meta({ id: 'GuideLink', examples: [addressesOf('A'.repeat(32), 'https://streams.example.org/v1')] });

export function addressesOf(token: string, baseURL: string) {
  const address = (format: GuideFormat) => `${baseURL}/guides/${token}.${format}`;
  return { jsonURL: address('json'), xmltvURL: address('xml'), calendarURL: address('ics') };
}
