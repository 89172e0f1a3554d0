// The mirror of a stream in answers: how far its settings are applied to the managed platform.
import * as z from 'zod';
import type { MirrorIntent } from '../../data/channels/mirror-intents.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { mirrorCodes } from '../../domain/channels/mirror-retries.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../fields.ts';
import { mirrorStates } from '../../domain/channels/channel-words.ts';

export const streamMirror = z
  .object({
    state: z
      .enum(mirrorStates)
      .describe(
        'done: the platform matches the stream. pending: the platform is being updated, or will be retried. ' +
          'blocked: a person must follow the instructions in detail.',
      ),
    code: z.enum(mirrorCodes).nullable().describe('Code of the reason for waiting or being blocked. null: none.'),
    detail: z.string().nullable().describe('Reason for waiting or being blocked, and the remedy.'),
    retryAt: timestamp.nullable().describe('Time of the next attempt. null: none is scheduled.'),
    generation: z.int32().describe('Increases with every change that has to be applied to the platform.'),
  })
  .meta({ id: 'StreamMirror' });

/** The last generations of the managed streams, by the stream's ID. One statement reads all of them. */
export async function mirrorsOf(ctx: Context, streams: readonly Stream[]): Promise<Map<string, MirrorIntent>> {
  const managed = managedOf(streams);
  if (managed.length === 0 || !ctx.isWanted('Stream.mirror')) return new Map();
  const last = await ctx.data.mirrorIntents.lastOf(managed);
  return new Map(last.map((intent) => [intent.stream_id, intent]));
}

/** The watch pages of the managed streams that have a broadcast, by the stream's ID. */
export async function watchURLsOf(ctx: Context, streams: readonly Stream[]): Promise<Map<string, string>> {
  const managed = managedOf(streams);
  if (managed.length === 0 || !ctx.isWanted('Stream.watchURL')) return new Map();
  const urls = await ctx.data.broadcasts.watchURLs(managed);
  return new Map(urls.map(({ stream_id: id, watch_url: url }) => [id, url]));
}

function managedOf(streams: readonly Stream[]): string[] {
  return streams.flatMap(({ id, stream_destination: destination }) => (destination === 'managed' ? [id] : []));
}

/**
 * Presents the last generation of a stream.
 * @param intent undefined: the stream was never managed
 */
export function presentMirror(intent: MirrorIntent | undefined): z.input<typeof streamMirror> {
  if (!intent) return { state: 'done', code: null, detail: null, retryAt: null, generation: 0 };
  const { state, code, detail, next_attempt_at: nextAttemptAt, generation } = intent;
  return {
    // The last generation of a stream is never superseded.
    state: state === 'superseded' ? 'pending' : state,
    code,
    detail,
    retryAt: state === 'pending' && code !== null ? nextAttemptAt : null,
    generation,
  };
}
