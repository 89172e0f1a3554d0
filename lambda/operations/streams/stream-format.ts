// What a stream is sent in, where it leaves that to defaults, and what it costs while it is live.
import * as z from 'zod';
import type { Stream } from '../../data/streams/streams.ts';
import { formatsOfStreams } from '../../orchestration/streams/stream-formats.ts';
import type { StreamFormat } from '../../orchestration/streams/stream-formats.ts';
import type { Context } from '../context.ts';
import { framerate, quality, videoCodec } from '../fields.ts';

export const effectiveFormat = z
  .object({ quality, framerate, videoCodec })
  .meta({ id: 'EffectiveFormat' })
  .describe('While it runs, of the run; else as a start would take it.');

/** Stands where nobody wants the fields: GraphQL sends none of them then, but an answer has to have all. */
const unread: StreamFormat = {
  effective: { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' },
  creditsPerHour: 0,
};

/** @param streams of the caller @returns the format of one of them by its ID */
export async function formatsOf(ctx: Context, streams: readonly Stream[]): Promise<(id: string) => StreamFormat> {
  if (!ctx.isWanted('Stream.effective') && !ctx.isWanted('Stream.creditsPerHour')) return () => unread;
  const formats = await formatsOfStreams(ctx.data, ctx.caller.userID, streams, ctx.now);
  return (id) => formats.get(id)!;
}
