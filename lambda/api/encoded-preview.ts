// Previews of encoded streams: segments that the agent writes while viewers request them.
import { setTimeout as delay } from 'node:timers/promises';
import { databaseOn } from '../data/database.ts';
import type { Replica } from '../data/fleet/replicas.ts';
import type { Stream } from '../data/streams/streams.ts';
import { framesPerSecond } from '../domain/shared/video-format.ts';
import type { PieceList, PreviewOptions } from './preview-pieces.ts';

/** The agent notices a request within a second. The first segment ends with the next keyframe, within two seconds. */
const looks = { count: 24, everyMs: 250 } as const;

/** The latest segments of a stream, once there is one; null if the agent has not written any in time. */
export type EncodedPieces = (watched: {
  readonly stream: Stream;
  readonly anchoredAt: Date;
  readonly replicas: readonly Replica[];
  /** Its rejection is also that of the pieces. */
  readonly beforeWaiting: () => Promise<void>;
}) => Promise<PieceList | null>;

export function createEncodedPieces({ pool }: Pick<PreviewOptions, 'pool'>): EncodedPieces {
  const { previews } = databaseOn(pool);

  return async ({ stream, anchoredAt, replicas, beforeWaiting }) => {
    // The primary of the first output is the first in the list.
    const looked = replicas.find(({ state }) => state === 'live') ?? replicas[0];
    if (!looked) return null;
    let pieces = await previews.look(stream.id, looked.id);
    if (pieces.length === 0) await beforeWaiting();
    for (let look = 0; pieces.length === 0 && look < looks.count; look++) {
      await delay(looks.everyMs);
      pieces = await previews.known(stream.id);
    }
    if (pieces.length === 0) return null;
    const rate = framesPerSecond[stream.run_framerate!];
    return {
      first: pieces[0]!.number,
      pieces: pieces.map(({ key, headerKey, frame, frameCount }) => ({
        key,
        headerKey,
        startsAt: new Date(anchoredAt.getTime() + (frame * 1000) / rate),
        seconds: frameCount / rate,
      })),
    };
  };
}
