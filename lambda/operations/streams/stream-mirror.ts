// How far a managed platform's side of a stream is what is wished, as clients see it.
import * as z from 'zod';
import { mirrorStates } from '../../data/channels/mirror-intents.ts';
import type { MirrorIntent } from '../../data/channels/mirror-intents.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { mirrorCodes } from '../../domain/channels/mirror-retries.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../fields.ts';

export const streamMirror = z
  .object({
    state: z
      .enum(mirrorStates)
      .describe('pending: it goes on by itself. blocked: somebody has to do what detail says.'),
    code: z.enum(mirrorCodes).nullable(),
    detail: z.string().nullable().describe('Why it waits or is blocked, and what to do.'),
    retryAt: timestamp.nullable().describe('When it is tried again.'),
    generation: z.int32().describe('Grows with every change of what is wished.'),
  })
  .meta({ id: 'StreamMirror' });

/** The last generations of those that are managed, by the stream's id. One statement reads all of them. */
export async function mirrorsOf(ctx: Context, streams: readonly Stream[]): Promise<Map<string, MirrorIntent>> {
  const managed = managedOf(streams);
  if (managed.length === 0 || !ctx.isWanted('Stream.mirror')) return new Map();
  const last = await ctx.data.mirrorIntents.lastOf(managed);
  return new Map(last.map((intent) => [intent.stream_id, intent]));
}

/** Where viewers find those that are managed and have a broadcast, by the stream's id. */
export async function watchURLsOf(ctx: Context, streams: readonly Stream[]): Promise<Map<string, string>> {
  const managed = managedOf(streams);
  if (managed.length === 0 || !ctx.isWanted('Stream.watchURL')) return new Map();
  const urls = await ctx.data.broadcasts.watchURLs(managed);
  return new Map(urls.map(({ stream_id: id, watch_url: url }) => [id, url]));
}

function managedOf(streams: readonly Stream[]): string[] {
  return streams.flatMap(({ id, stream_destination: destination }) => (destination === 'managed' ? [id] : []));
}

/** @param intent undefined: nothing was ever wished of the platform */
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
