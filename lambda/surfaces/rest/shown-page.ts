// Previews and posters of streams for anyone with a link.
// Players request the playlist of a preview every two seconds.
import { ProblemError } from '../../operations/problem-codes.ts';
import { countRequest } from '../admission/rate-limits.ts';
import { countingTimeOf } from '../admission/slow-calls.ts';
import { openPreviewLink } from '../preview-links.ts';
import type { PreviewLink, Shown } from '../preview-links.ts';
import type { RestService } from '../service.ts';

const pathOfShown = /^\/(previews|posters)\/([\w.-]{1,300})\/(live\.m3u8|now\.jpg)$/;

interface Page {
  readonly shown: Shown;
  readonly file: string;
  /** Finds the picture, whose time counts, then waits for its media. Both are null if there is none. */
  readonly find: (service: RestService, link: PreviewLink) => Promise<(() => Promise<Response | null>) | null>;
}

/** The pages by the first part of their paths. */
const pages: ReadonlyMap<string, Page> = new Map([
  [
    'previews',
    {
      shown: 'preview',
      file: 'live.m3u8',
      find: async (service, link) => {
        const find = await service.previewPlaylist(link);
        if (find === null) return null;
        return async () => {
          const playlist = await find();
          const headers = { 'content-type': 'application/vnd.apple.mpegurl', 'cache-control': 'no-store' };
          return playlist === null ? null : new Response(playlist, { headers });
        };
      },
    },
  ],
  [
    'posters',
    {
      shown: 'poster',
      file: 'now.jpg',
      find: async (service, link) => {
        const poster = await service.poster(link);
        if (poster === null) return null;
        return async () => {
          const url = await poster.url();
          const seconds = Math.max(0, Math.floor(poster.freshSeconds));
          const headers = { location: url ?? '', 'cache-control': `private, max-age=${seconds}` };
          return url === null ? null : new Response(null, { status: 302, headers });
        };
      },
    },
  ],
]);

/**
 * Answers GET /previews/LINK/live.m3u8 and GET /posters/LINK/now.jpg.
 * @returns null for other paths, for unknown and expired links, and if there is no picture
 * @throws {ProblemError}
 */
export async function shownPageAt(service: RestService, path: string): Promise<Response | null> {
  const [, folder = '', token = '', file] = pathOfShown.exec(path) ?? [];
  const page = pages.get(folder);
  if (page === undefined || page.file !== file) return null;
  const link = openPreviewLink(service.serviceSecret, page.shown, token, service.clock());
  if (link === null) return null;
  const subject = `${folder} of ${link.userID}`;
  const quota = await countRequest(service, subject, page.shown);
  if (quota.exceeded)
    throw new ProblemError('rate_limited', `Too many ${folder} are open. Try again in ${quota.resetSeconds} seconds.`);
  const answer = await countingTimeOf(service, { subject, requestClass: page.shown }, () => page.find(service, link));
  return answer && answer();
}
