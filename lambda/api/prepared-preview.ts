// Previews of prepared streams: segments written on request, from prepared media.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { databaseOn } from '../data/database.ts';
import { formatOfRun } from '../data/streams/streams.ts';
import { shownSlates } from '../domain/live/slate.ts';
import { sessionStartFrame } from '../domain/live/takeover-intervals.ts';
import { previewKey } from '../domain/media/object-keys.ts';
import type { TimelineItem } from '../domain/playout/play-out.ts';
import { framesOfPiece, previewPieces, previewPieceSeconds } from '../domain/playout/preview.ts';
import type { PreviewFrames } from '../domain/playout/preview.ts';
import { renditionOf } from '../domain/playout/rendition.ts';
import { profileOf } from '../publisher/ffmpeg/profile.ts';
import type { PreparedTimelines } from '../publisher/prepared/load-timelines.ts';
import { SegmentStore } from '../publisher/prepared/segment-store.ts';
import { remuxPiece } from '../publisher/preview/remux-piece.ts';
import type { RemuxOptions } from '../publisher/preview/remux-piece.ts';
import { createKeptTimelines } from './kept-timelines.ts';
import type { Watched } from './kept-timelines.ts';
import type { PieceList, PreviewOptions } from './preview-pieces.ts';

/** Media is sent this long ahead of its time. */
const leadMs = 500;
const maxCachedBytes = 16 * 1024 * 1024;
/** The number of written segments that a process remembers. */
const mostRemembered = 1000;
/**
 * Older segments are deleted when new ones are written. After the last request, the store's lifecycle deletes the rest.
 */
const keptPieces = 60;
const contentType = 'video/mp4';

/** A segment that is written; null if its media is not completely prepared. */
type Piece = { readonly headerName: string } | null;

/** Reads the timeline of a stream's run with an anchor, then returns its latest segments. */
export type PreparedPieces = (watched: Watched & { readonly anchoredAt: Date }) => Promise<() => Promise<PieceList>>;

export function createPreparedPieces({ pool, objects, log }: PreviewOptions): PreparedPieces {
  const timelinesOf = createKeptTimelines(databaseOn(pool));
  const store = new SegmentStore({ objects, maxCachedBytes });
  const written = new LRUCache<string, Promise<Piece>>({ max: mostRemembered });

  return async (watched) => {
    const timelines = await timelinesOf(watched);
    return () => piecesOf(watched, timelines);
  };

  async function piecesOf(
    { stream, anchoredAt, now }: Parameters<PreparedPieces>[0],
    timelines: PreparedTimelines,
  ): Promise<PieceList> {
    const format = formatOfRun(stream);
    const timeline = timelines.video.entries;
    const { framesPerSecond, gopFrames } = profileOf(format);
    const framesOf = (item: TimelineItem) => renditionOf('', item, format).groupCount;
    const { takeovers = [] } = timelines.video;
    const others = [
      ...shownSlates(takeovers).map((slate) => ({ ...slate, startFrame: slate.fromFrame })),
      ...takeovers.map((interval) => ({ ...interval, startFrame: sessionStartFrame(interval, gopFrames) })),
    ];
    const grid = { framesPerSecond, gopFrames, framesOf, others };
    const run = `${stream.id}/${anchoredAt.getTime()}`;
    const remux: RemuxOptions = { store, format, timelines, log };
    const sentFrames = ((now.getTime() - anchoredAt.getTime() + leadMs) * framesPerSecond) / 1000;
    const last = lastPiece(sentFrames / framesPerSecond, (piece) => {
      return framesOfPiece(timeline, piece, grid).end <= sentFrames;
    });
    const first = Math.max(0, last - previewPieces + 1);
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const pieces = await Promise.all(
      numbers.map(async (number) => {
        const frames = framesOfPiece(timeline, number, grid);
        const { start, end } = frames;
        const key = previewKey(run, `${number}.m4s`);
        const piece = await remembered(key, () => write(remux, run, number, frames));
        return {
          key: piece && key,
          headerKey: piece && previewKey(run, `${piece.headerName}.mp4`),
          startsAt: new Date(anchoredAt.getTime() + (start * 1000) / framesPerSecond),
          seconds: (end - start) / framesPerSecond,
        };
      }),
    );
    return { first, pieces };
  }

  function remembered(key: string, make: () => Promise<Piece>): Promise<Piece> {
    const known = written.get(key);
    if (known) return known;
    const making = make();
    written.set(key, making);
    // A segment that failed or was missing may exist a moment later.
    making.then(
      (piece) => piece === null && written.delete(key),
      () => written.delete(key),
    );
    return making;
  }

  async function write(remux: RemuxOptions, run: string, number: number, frames: PreviewFrames): Promise<Piece> {
    const piece = await remuxPiece(remux, frames);
    if (piece === null) return null;
    const { header, fragments } = piece;
    const headerName = createHash('sha256').update(header).digest('hex').slice(0, 16);
    await Promise.all([
      remembered(previewKey(run, `${headerName}.mp4`), async () => {
        await objects.write(previewKey(run, `${headerName}.mp4`), header, { contentType });
        return { headerName };
      }),
      objects.write(previewKey(run, `${number}.m4s`), fragments, { contentType }),
      ...(number >= keptPieces ? [objects.delete(previewKey(run, `${number - keptPieces}.m4s`))] : []),
    ]);
    return { headerName };
  }
}

/** The number of the last complete segment after `sentSeconds` of sending; -1 if there is none. */
function lastPiece(sentSeconds: number, isOver: (piece: number) => boolean): number {
  let piece = Math.floor(sentSeconds / previewPieceSeconds);
  while (piece >= 0 && !isOver(piece)) piece -= 1;
  return piece;
}
