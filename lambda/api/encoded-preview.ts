// Previews of encoded streams: pieces that the agent writes for as long as somebody looks.
import { setTimeout as delay } from 'node:timers/promises';
import { databaseOn } from '../data/database.ts';
import type { Replica } from '../data/fleet/replicas.ts';
import type { Stream } from '../data/streams/streams.ts';
import { framesPerSecond } from '../domain/shared/video-format.ts';
import type { PieceList, PreviewOptions } from './preview-pieces.ts';

/** The agent hears of it within a second. The first piece ends with the next keyframe, two seconds later at most. */
const looks = { count: 24, everyMs: 250 } as const;

/** The last pieces of a stream, as soon as there is one. Null: the agent has written none in time. */
export type EncodedPieces = (
  stream: Stream,
  anchoredAt: Date,
  replicas: readonly Replica[],
) => Promise<PieceList | null>;

export function createEncodedPieces({ pool }: Pick<PreviewOptions, 'pool'>): EncodedPieces {
  const { previews } = databaseOn(pool);

  return async (stream, anchoredAt, replicas) => {
    // The first output's primary comes first.
    const looked = replicas.find(({ state }) => state === 'live') ?? replicas[0];
    if (!looked) return null;
    let pieces = await previews.look(stream.id, looked.id);
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
