// GET /previews/LINK/live.m3u8: the playlist of a preview, which players ask for every two seconds.
import { ProblemError } from '../../operations/problem-codes.ts';
import { countRequest } from '../admission/rate-limits.ts';
import { openPreviewLink } from '../preview-links.ts';
import type { Service } from '../service.ts';

const pathOfPlaylist = /^\/previews\/([\w.-]{1,300})\/live\.m3u8$/;

/** @returns null for other paths, and for links that were never made or whose time is over @throws {ProblemError} */
export async function previewPageAt(service: Service, path: string): Promise<Response | null> {
  const token = pathOfPlaylist.exec(path)?.[1];
  const link = token === undefined ? null : openPreviewLink(service.serviceSecret, token, service.clock());
  if (link === null) return null;
  const quota = await countRequest(service, `previews of ${link.userID}`, 'preview');
  if (quota.exceeded)
    throw new ProblemError('rate_limited', `Too many previews are open. Come back in ${quota.resetSeconds} seconds.`);
  const playlist = await service.previewPlaylist(link.streamID);
  if (playlist === null) return null;
  const headers = { 'content-type': 'application/vnd.apple.mpegurl', 'cache-control': 'no-store' };
  return new Response(playlist, { headers });
}
