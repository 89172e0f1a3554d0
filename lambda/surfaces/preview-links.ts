// Links to previews and posters: whoever has one may look at its stream until it ends. They are signed, none is kept.
import { createHmac, timingSafeEqual } from 'node:crypto';

const macBytes = 16;

/** What a link opens. */
export type Shown = 'preview' | 'poster';

export interface PreviewLink {
  readonly streamID: string;
  /** Who looks: the pieces that are made for each user are counted. */
  readonly userID: string;
  readonly expiresAt: Date;
}

/** The last part of a link's path but the file name: `STREAM.USER.SECONDS.MAC`. */
export function sealPreviewLink(serviceSecret: string, shown: Shown, link: PreviewLink): string {
  const { streamID, userID, expiresAt } = link;
  const text = `${streamID}.${userID}.${Math.floor(expiresAt.getTime() / 1000)}`;
  return `${text}.${macOf(serviceSecret, shown, text).toString('base64url')}`;
}

/** @returns null where we have made no such link, or its time is over */
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

/** Links to posters of a day are the same: until the next day is over. */
export function endOfPosterLinks(now: Date): Date {
  return new Date((Math.floor(now.getTime() / dayMs) + 2) * dayMs);
}

function macOf(serviceSecret: string, shown: Shown, text: string): Buffer {
  return createHmac('sha256', serviceSecret).update(`${shown}\n${text}`).digest().subarray(0, macBytes);
}
