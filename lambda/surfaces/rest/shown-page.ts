// Previews and posters of streams for anyone with a link.
// Players request the playlist of a preview every two seconds.
import { ProblemError } from '../../operations/problem-codes.ts';
import { countRequest } from '../admission/rate-limits.ts';
import { openPreviewLink } from '../preview-links.ts';
import type { PreviewLink, Shown } from '../preview-links.ts';
import type { RestService } from '../service.ts';

const pathOfShown = /^\/(previews|posters)\/([\w.-]{1,300})\/(live\.m3u8|now\.jpg)$/;

interface Page {
  readonly shown: Shown;
  readonly file: string;
  readonly answer: (service: RestService, link: PreviewLink) => Promise<Response | null>;
}

/** The pages by the first part of their paths. */
const pages: ReadonlyMap<string, Page> = new Map([
  [
    'previews',
    {
      shown: 'preview',
      file: 'live.m3u8',
      answer: async (service, link) => {
        const playlist = await service.previewPlaylist(link);
        const headers = { 'content-type': 'application/vnd.apple.mpegurl', 'cache-control': 'no-store' };
        return playlist === null ? null : new Response(playlist, { headers });
      },
    },
  ],
  [
    'posters',
    {
      shown: 'poster',
      file: 'now.jpg',
      answer: async (service, link) => {
        const poster = await service.poster(link);
        if (poster === null) return null;
        const seconds = Math.max(0, Math.floor(poster.freshSeconds));
        const headers = { location: poster.url, 'cache-control': `private, max-age=${seconds}` };
        return new Response(null, { status: 302, headers });
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
  const quota = await countRequest(service, `${folder} of ${link.userID}`, page.shown);
  if (quota.exceeded)
    throw new ProblemError('rate_limited', `Too many ${folder} are open. Try again in ${quota.resetSeconds} seconds.`);
  return page.answer(service, link);
}
