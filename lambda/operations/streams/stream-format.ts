// The effective format of a stream, with its defaults filled in, and its price while it is live.
import * as z from 'zod';
import type { Output } from '../../data/destinations/outputs.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { formatsOfStreams } from '../../orchestration/streams/stream-formats.ts';
import type { StreamFormat } from '../../orchestration/streams/stream-formats.ts';
import type { Context } from '../context.ts';
import { framerate, quality, videoCodec } from '../fields.ts';

export const effectiveFormat = z
  .object({ quality, framerate, videoCodec })
  .meta({ id: 'EffectiveFormat' })
  .describe('Format of the current run. If the stream is not running: the format that a start would use now.');

/**
 * The value of the fields when a GraphQL query does not select them: the answer must have all fields, and GraphQL drops
 * these.
 */
const unread: StreamFormat = {
  effective: { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' },
  creditsPerHour: 0,
};

/**
 * Reads the formats of streams.
 * @param streams of the caller
 * @param outputs of these streams; null: not read yet
 * @returns the format of a stream by its ID
 */
export async function formatsOf(
  ctx: Context,
  streams: readonly Stream[],
  outputs: readonly Output[] | null,
): Promise<(id: string) => StreamFormat> {
  if (!ctx.isWanted('Stream.effective') && !ctx.isWanted('Stream.creditsPerHour')) return () => unread;
  const known = outputs ?? (await ctx.data.outputs.ofStreams(streams.map(({ id }) => id)));
  const formats = await formatsOfStreams(ctx.data, ctx.caller.userID, streams, known, ctx.now);
  return (id) => formats.get(id)!;
}
