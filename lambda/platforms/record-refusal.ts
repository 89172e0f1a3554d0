// Records that a platform refused a call, or did not answer.
import type { MirrorDatabase } from '../data/mirror-database.ts';
import { retryAtOf, wordsOfMirror } from '../domain/channels/mirror-retries.ts';
import type { MirrorCode } from '../domain/channels/mirror-retries.ts';
import { exhaustedUntil, quotaDay } from '../domain/channels/platform-quota.ts';
import type { ManagedPlatform, PlatformRefusal } from '../ports/managed-platforms/managed-platform.ts';
import type { BegunStep } from './begin-step.ts';
import type { MirrorOptions } from './mirror-options.ts';

/** Refusals that contradict our view of a broadcast. Its state is then observed before anything else. */
const contradictions = new Set(['liveBroadcastNotFound', 'invalidTransition', 'videoNotFound']);

export async function recordRefusal(
  data: MirrorDatabase,
  { clock, random }: Pick<MirrorOptions, 'clock' | 'random'>,
  platform: ManagedPlatform,
  { mirror: { stream, connection, intent, thumbnail }, step, makingID }: BegunStep,
  refusal: PlatformRefusal,
): Promise<void> {
  const now = clock();
  // If the platform may have created it, it is searched before anything else.
  if (makingID !== null && refusal.outcome === 'rejected') await data.broadcastWork.markUnmade(makingID);
  if (step.do === 'thumbnail' && refusal.code === 'rejected') {
    // A broadcast without its thumbnail is better than none.
    await data.broadcastWork.markThumbnail(step.broadcast.id, thumbnail!.id);
    return;
  }
  if (refusal.reason === 'liveStreamNotFound') await data.platformIngests.delete(stream.id);
  if ('broadcast' in step && step.broadcast && contradictions.has(refusal.reason))
    await data.broadcastWork.markDone(step.broadcast.id, 'looksAgain');
  const isElse = contradictions.has(refusal.reason) || refusal.reason === 'liveStreamNotFound';
  const code: MirrorCode = isElse && refusal.code === 'rejected' ? 'unavailable' : refusal.code;
  const detail = wordsOfMirror(code, platform.title, refusal.reason);
  if (code === 'grant_revoked') await data.connectionLeases.setState(connection.id, 'grant_revoked', detail);
  if (code === 'live_not_enabled') await data.connectionLeases.setState(connection.id, 'live_not_enabled', detail);
  let askedFor = refusal.retryAt;
  if (code === 'quota_exhausted') {
    askedFor = exhaustedUntil(now, random);
    await data.platformQuota.exhaust(platform.name, quotaDay(now), askedFor);
  }
  const retryAt = retryAtOf(code, intent.attempts + 1, { now, askedFor, random });
  await data.mirrorWork.fail(intent, connection.id, { code, detail, retryAt });
}
