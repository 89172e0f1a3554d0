// Previews and posters of streams for anyone with a link.
// Players request the playlist of a preview every two seconds.
import { admitLook } from '../admission/looks.ts';
import { openPreviewLink } from '../preview-links.ts';
import type { Shown } from '../preview-links.ts';
import type { LookedAt, RestService } from '../service.ts';

const pathOfShown = /^\/(previews|posters)\/([\w.-]{1,300})\/(live\.m3u8|now\.jpg)$/;

interface Page {
  readonly shown: Shown;
  readonly file: string;
  /** Finds the picture, whose time counts, then waits for its media. Both are null if there is none. */
  readonly find: (service: RestService, stream: LookedAt) => Promise<(() => Promise<Response | null>) | null>;
}

/** The pages by the first part of their paths. */
const pages: ReadonlyMap<string, Page> = new Map([
  [
    'previews',
    {
      shown: 'preview',
      file: 'live.m3u8',
      find: async (service, stream) => {
        const find = await service.previewPlaylist(stream);
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
      find: async (service, stream) => {
        const poster = await service.poster(stream);
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
  const { userID, streamID } = link;
  const time = await admitLook(service, page.shown, userID);
  let reserved: Promise<void> | undefined;
  const stream = { userID, streamID, reserve: () => (reserved ??= time.reserve()) };
  try {
    const answer = await time.during(() => page.find(service, stream));
    // The wait takes no time of the database, but a function: the reservation bounds the number of those that wait.
    return answer && (await answer());
  } finally {
    await time.count();
  }
}
