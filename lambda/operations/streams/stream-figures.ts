// The measurements of a stream or of one of its outputs in answers.
import * as z from 'zod';
import type { StreamStats } from '../../data/streams/streams.ts';

export const figuresSchema = z
  .object({
    bitrateKbps: z.number(),
    framesPerSecond: z.number(),
    secondsInHand: z
      .number()
      .nullable()
      .describe('Lowest recent amount of encoded media that was not due yet. null: not encoded while live.'),
    framesSent: z.int(),
    bytesSent: z.int(),
    droppedFrames: z.int(),
    lateFrames: z.int(),
    reconnects: z.int32(),
    loopCount: z.int32(),
    sampledAt: z.iso.datetime().nullable().describe('Time of the measurement. null: the stream was never live.'),
  })
  .describe('Measurements of the output. get_stream_stats describes each field.')
  .meta({ id: 'Figures' });

const neverLive = {
  bitrateKbps: 0,
  framesPerSecond: 0,
  secondsInHand: null,
  framesSent: 0,
  bytesSent: 0,
  droppedFrames: 0,
  lateFrames: 0,
  reconnects: 0,
  loopCount: 0,
  sampledAt: null,
};

/**
 * Presents the measurements of a stream or an output.
 * @param stats null: it was never live
 */
export function presentFigures(stats: StreamStats | null): z.input<typeof figuresSchema> {
  if (stats === null) return neverLive;
  const { currentItem: _, aired: __, ...others } = stats;
  return others;
}
