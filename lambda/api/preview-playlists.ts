// Playlists of previews (HLS, RFC 8216), created on request.
import { databaseOn } from '../data/database.ts';
import { longestPieceSeconds, previewHoldBackSeconds } from '../domain/playout/preview.ts';
import type { PreviewPlaylist } from '../surfaces/service.ts';
import { createEncodedPieces } from './encoded-preview.ts';
import { createPreparedPieces } from './prepared-preview.ts';
import type { PieceList, PreviewOptions } from './preview-pieces.ts';

/** Players request a segment soon after they have read its playlist. */
const pieceURLSeconds = 120;

export function createPreviewPlaylist({ pool, objects, log }: PreviewOptions): PreviewPlaylist {
  const data = databaseOn(pool);
  const preparedPieces = createPreparedPieces({ pool, objects, log });
  const encodedPieces = createEncodedPieces({ pool });
  const urlOf = (key: string) => objects.presignGet(key, { expiresInSeconds: pieceURLSeconds });

  return async ({ userID, streamID, reserve }) => {
    const stream = await data.streams.find(userID, streamID);
    const anchoredAt = stream?.anchored_at;
    if (!anchoredAt || stream.state !== 'active') return null;
    const replicas = await data.replicas.ofStream(streamID);
    const list = replicas.some(({ backend }) => backend === 'manifest')
      ? await preparedPieces({ stream, anchoredAt, replicas, now: await data.now(), beforeReading: reserve })
      : () => encodedPieces({ stream, anchoredAt, replicas, beforeWaiting: reserve });
    return async () => {
      const found = await list();
      return found && playlistOf(found, urlOf);
    };
  };
}

async function playlistOf({ first, pieces }: PieceList, urlOf: (key: string) => Promise<string>): Promise<string> {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:8',
    `#EXT-X-TARGETDURATION:${longestPieceSeconds}`,
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
    `#EXT-X-START:TIME-OFFSET=-${previewHoldBackSeconds}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
  ];
  let lastHeader: string | null = null;
  for (const { key, headerKey, startsAt, seconds } of pieces) {
    if (headerKey !== null && headerKey !== lastHeader) lines.push(`#EXT-X-MAP:URI="${await urlOf(headerKey)}"`);
    lastHeader = headerKey ?? lastHeader;
    lines.push(`#EXT-X-PROGRAM-DATE-TIME:${startsAt.toISOString()}`, `#EXTINF:${seconds.toFixed(5)},`);
    lines.push(...(key === null ? ['#EXT-X-GAP', 'missing.m4s'] : [await urlOf(key)]));
  }
  return `${lines.join('\n')}\n`;
}
