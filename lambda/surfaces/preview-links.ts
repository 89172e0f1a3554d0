// Links to previews and posters: anyone with a link can see its stream until the link expires.
// Links are signed and not stored.
import { createHmac, timingSafeEqual } from 'node:crypto';

const macBytes = 16;

/** The kind of picture that a link opens. */
export type Shown = 'preview' | 'poster';

export interface PreviewLink {
  readonly streamID: string;
  /** The user who is watching: the segments made for each user are counted. */
  readonly userID: string;
  readonly expiresAt: Date;
}

/** The part of a link's path before the file name: `STREAM.USER.SECONDS.MAC`. */
export function sealPreviewLink(serviceSecret: string, shown: Shown, link: PreviewLink): string {
  const { streamID, userID, expiresAt } = link;
  const text = `${streamID}.${userID}.${Math.floor(expiresAt.getTime() / 1000)}`;
  return `${text}.${macOf(serviceSecret, shown, text).toString('base64url')}`;
}

/**
 * Opens a link.
 * @returns null if the link was not made by this service, or has expired
 */
export function openPreviewLink(serviceSecret: string, shown: Shown, token: string, now: Date): PreviewLink | null {
  const {
    text = '',
    streamID = '',
    userID = '',
    seconds = '',
    mac = '',
  } = /^(?<text>(?<streamID>\w+)\.(?<userID>\w+)\.(?<seconds>\d{1,12}))\.(?<mac>[\w-]+)$/u.exec(token)?.groups ?? {};
  const given = Buffer.from(mac, 'base64url');
  if (given.length !== macBytes || !timingSafeEqual(given, macOf(serviceSecret, shown, text))) return null;
  const expiresAt = new Date(Number(seconds) * 1000);
  return expiresAt > now ? { streamID, userID, expiresAt } : null;
}

const dayMs = 86_400_000;

/** The expiry of a link to a poster: the end of the next day, so that all links of a day are the same. */
export function endOfPosterLinks(now: Date): Date {
  return new Date((Math.floor(now.getTime() / dayMs) + 2) * dayMs);
}

function macOf(serviceSecret: string, shown: Shown, text: string): Buffer {
  return createHmac('sha256', serviceSecret).update(`${shown}\n${text}`).digest().subarray(0, macBytes);
}
