// The first transaction of a step: decides it, and stores everything that must be known before the platform's call.
import type { OpenBroadcastRow } from '../data/channels/broadcast-work.ts';
import type { MirrorDatabase } from '../data/mirror-database.ts';
import { describedAs, nextStep } from '../domain/channels/mirror.ts';
import type { MirrorStep } from '../domain/channels/mirror.ts';
import { retryAtOf, wordsOfMirror } from '../domain/channels/mirror-retries.ts';
import type { MirrorCode } from '../domain/channels/mirror-retries.ts';
import { isLive } from '../domain/streams/stream-lifecycle.ts';
import { nextQuotaDay, quotaDay } from '../domain/channels/platform-quota.ts';
import { remirror } from '../orchestration/channels/mirror-stream.ts';
import type { BroadcastDraft } from '../ports/managed-platforms/broadcasts.ts';
import type { ManagedPlatform } from '../ports/managed-platforms/managed-platform.ts';
import { draftOf } from './broadcast-draft.ts';
import { closeBroadcast } from './close-broadcast.ts';
import type { Mirror } from './load-mirror.ts';
import type { MirrorOptions } from './mirror-options.ts';
import { reserveUnits } from './reserve-units.ts';

type Step = MirrorStep<OpenBroadcastRow>;
export type CallStep = Exclude<Step, { readonly do: 'close' | 'open' | 'wait' | 'nothing' }>;

/** A decided step, whose call has not been made yet. */
export interface BegunStep {
  readonly mirror: Mirror;
  readonly step: CallStep;
  /** The broadcast that an insert creates; null for other steps. */
  readonly makingID: string | null;
  /** The broadcast's data for the platform; null if the call sends none. */
  readonly draft: BroadcastDraft | null;
  readonly describedHash: string;
  /** The step waits for a token. Nothing has been written that only a call can resolve. */
  readonly needsAccess: boolean;
}

/** The minimum from now to a broadcast's scheduled start, since platforms refuse past times. */
const startAheadMs = 60_000;

/**
 * Decides the next step. If it needs no call, completes it.
 * @param platform undefined if the stage has not set it up
 * @param hasAccess whether the worker has a token
 * @returns the call to make; null if the step is complete, or waits
 */
export async function beginStep(
  data: MirrorDatabase,
  options: Pick<MirrorOptions, 'clock' | 'random' | 'newID' | 'dailyUnits'>,
  mirror: Mirror,
  platform: ManagedPlatform | undefined,
  hasAccess: boolean,
): Promise<BegunStep | null> {
  const step = nextStep(mirror.facts);
  const { connection, intent } = mirror;
  const now = options.clock();
  switch (step.do) {
    case 'close':
      await closeBroadcast(data, mirror, step.broadcast, step.broadcast.live_at === null ? 'failed' : 'ended', now);
      return null;
    case 'open':
      await openChannel(data, options, mirror);
      return null;
    case 'wait':
      await data.mirrorWork.wait(intent, connection.id, step.until);
      return null;
    case 'nothing':
      await finish(data, mirror, step.again);
      return null;
    default: {
      if (await isUnusable(data, mirror, platform)) return null;
      if (!hasAccess) return { ...noDraft, mirror, step, needsAccess: true };
      return (await hasUnits(data, options, mirror, step, platform!))
        ? begin(data, options, mirror, step, platform!)
        : null;
    }
  }
}

/** Marks the mirror as done: the platform matches the wish. */
async function finish(data: MirrorDatabase, { stream, intent }: Mirror, again: Date | null): Promise<void> {
  await data.mirrorWork.markDone(intent);
  await data.dueTimes.set(stream.id, 'broadcast_rotation', again);
  if (await data.broadcasts.hasOpen(stream.id)) return;
  // A deleted stream's row was kept only for its broadcasts.
  if (stream.deleted_at !== null && !isLive(stream.state)) await data.streams.delete(stream.id);
}

/** Whether the platform forbids the use of the connection. If nothing is wished any more, its broadcasts are closed. */
async function isUnusable(
  data: MirrorDatabase,
  { stream, connection, intent, settings, facts }: Mirror,
  platform: ManagedPlatform | undefined,
): Promise<boolean> {
  const { state } = connection;
  if (platform && (state === 'ok' || state === 'live_not_enabled')) return false;
  if (settings === null || stream.deleted_at !== null) {
    for (const { id, external_id: externalID } of facts.broadcasts)
      await data.broadcastWork.setPhase(id, externalID === null ? 'failed' : 'ended', facts.now);
    await remirror(data, [stream.id], 'connection_lost');
    return true;
  }
  const code: MirrorCode = platform
    ? state === 'scope_missing'
      ? 'scope_missing'
      : 'grant_revoked'
    : 'connection_needed';
  const detail = connection.problem ?? wordsOfMirror(code, platform?.title ?? connection.platform, state);
  await data.mirrorWork.fail(intent, connection.id, { code, detail, retryAt: null });
  return true;
}

const noDraft = { makingID: null, draft: null, describedHash: '', needsAccess: false } as const;

async function begin(
  data: MirrorDatabase,
  { clock, newID }: Pick<MirrorOptions, 'clock' | 'newID'>,
  mirror: Mirror,
  step: CallStep,
  platform: ManagedPlatform,
): Promise<BegunStep> {
  const { stream, connection, settings, facts } = mirror;
  const begun: BegunStep = { ...noDraft, mirror, step };
  // A retry of the end reserves its own units.
  if (step.do === 'end') await data.platformQuota.reserveEnd(step.broadcast.id, 0, quotaDay(clock()));
  if (settings === null) return begun;
  const about = { stream, settings, platform: connection.platform, playing: mirror.playing };
  const describedHash = describedAs(facts.describedHash, facts.wish, facts.item);
  if (step.do === 'insert') {
    const { broadcast, autoStart } = step;
    const makingID = broadcast?.id ?? newID('bct');
    const n = broadcast?.n ?? (await data.broadcastWork.nextNumber(stream.id));
    const scheduledStartAt = await startFor(data, mirror, broadcast?.id ?? null);
    const draft = await draftOf(data, about, { n, scheduledStartAt, autoStart });
    const row = { id: makingID, streamID: stream.id, connectionID: connection.id, n };
    await data.broadcastWork.beginMaking(row, { ...draft, describedHash }, clock());
    await data.platformQuota.reserveEnd(makingID, platform.units.end, quotaDay(clock()));
    return { ...begun, makingID, draft, describedHash };
  }
  if (step.do !== 'update' && step.do !== 'describe') return begun;
  const { n, scheduled_start_at: startAt, auto_start: autoStart } = step.broadcast;
  const isMoved = step.do === 'update' && facts.wish.kind === 'prepared' && facts.wish.at !== null;
  const scheduledStartAt = isMoved ? await startFor(data, mirror, step.broadcast.id) : startAt;
  const draft = await draftOf(data, about, { n, scheduledStartAt, autoStart });
  return { ...begun, draft, describedHash };
}

/** The scheduled start: a second that no other broadcast of the connection has, so that it identifies this one. */
async function startFor(data: MirrorDatabase, { connection, facts }: Mirror, except: string | null): Promise<Date> {
  const { wish, now } = facts;
  const earliest = new Date(now.getTime() + startAheadMs);
  const at = wish.kind === 'prepared' && wish.at !== null && wish.at > earliest ? wish.at : earliest;
  return data.broadcastWork.freeStart(connection.id, at, except);
}

async function openChannel(
  data: MirrorDatabase,
  { clock, newID }: Pick<MirrorOptions, 'clock' | 'newID'>,
  { stream, connection, settings, playing }: Mirror,
): Promise<void> {
  const n = await data.broadcastWork.nextNumber(stream.id);
  const now = clock();
  const scheduledStartAt = await data.broadcastWork.freeStart(connection.id, now, null);
  const about = { stream, settings: settings!, platform: connection.platform, playing };
  const draft = await draftOf(data, about, { n, scheduledStartAt, autoStart: true });
  const row = { id: newID('bct'), streamID: stream.id, connectionID: connection.id, n };
  await data.broadcastWork.beginMaking(row, { ...draft, describedHash: null }, now);
  await data.broadcastWork.markMade(row.id, null, connection.live_url, now);
  await data.broadcastWork.setPhase(row.id, 'live', now);
}

const codeOf = {
  share: 'quota_share_used',
  unfunded: 'quota_unfunded_used',
  quota: 'quota_exhausted',
} as const satisfies Record<string, MirrorCode>;

/** Reserves the units of a call before anything is written. If there are none, the mirror waits for the quota. */
async function hasUnits(
  data: MirrorDatabase,
  options: Pick<MirrorOptions, 'clock' | 'random' | 'dailyUnits'>,
  { intent, connection }: Mirror,
  step: CallStep,
  platform: ManagedPlatform,
): Promise<boolean> {
  const about = 'broadcast' in step ? step.broadcast : null;
  const reserved = await reserveUnits(data, options, platform, {
    call: step.do,
    userID: connection.user_id,
    broadcast: about,
  });
  if (reserved === 'taken') return true;
  const { clock, random } = options;
  const now = clock();
  if (step.do === 'insert' && reserved === 'quota')
    await data.platformQuota.exhaustStarts(platform.name, quotaDay(now), nextQuotaDay(now));
  const until = (await data.platformQuota.exhaustedUntil(platform.name, now)) ?? nextQuotaDay(now);
  const code = codeOf[reserved];
  const retryAt = retryAtOf(code, intent.attempts + 1, { now, askedFor: until, random });
  await data.mirrorWork.fail(intent, connection.id, {
    code,
    detail: wordsOfMirror(code, platform.title, ''),
    retryAt,
  });
  return false;
}
