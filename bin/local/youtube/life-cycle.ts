// The life of a broadcast (https://developers.google.com/youtube/v3/live/life-of-a-broadcast).
import { Refused } from './refused.ts';
import type { KeptBroadcast } from './state.ts';

/** How long things take, and how many there may be. YouTube publishes no numbers: these are what others report. */
export interface StandInSettings {
  readonly dailyUnits: number;
  readonly livePerChannel: number;
  readonly livePerIngest: number;
  /** From a transition to its end. */
  readonly startingMs: number;
  /** From the ingest's first media to the transition of one that starts by itself. */
  readonly autoStartMs: number;
  /** From the ingest's last media to the end of one that stops by itself. */
  readonly autoStopMs: number;
  /** From an insert until the broadcast is there as a video. */
  readonly videoMs: number;
}

export const defaultSettings: StandInSettings = {
  dailyUnits: 10_000,
  livePerChannel: 10,
  livePerIngest: 3,
  startingMs: 5000,
  autoStartMs: 2000,
  autoStopMs: 60_000,
  videoMs: 3000,
};

/** What a broadcast's life depends on besides itself. Times are milliseconds since the epoch. */
export interface Surroundings {
  readonly now: number;
  readonly settings: StandInSettings;
  /** Since when the bound ingest has video and sound; null while it has not both. */
  activeSince(streamID: string): number | null;
  lastActiveAt(streamID: string): number | null;
  /** Live or about to be, without the broadcast itself. */
  liveOnChannel(broadcast: KeptBroadcast): number;
  liveOnIngest(broadcast: KeptBroadcast): number;
}

/** Lets happen what has happened by itself until now. */
export function advance(broadcast: KeptBroadcast, around: Surroundings): void {
  const { now, settings } = around;
  const { enableAutoStart, enableAutoStop } = broadcast.contentDetails;
  const activeSince = broadcast.boundStreamID === null ? null : around.activeSince(broadcast.boundStreamID);
  if (broadcast.lifeCycle === 'ready' && enableAutoStart === true && activeSince !== null) {
    const begins = Math.max(activeSince, broadcast.boundAt) + settings.autoStartMs;
    if (begins <= now && !limitReached(broadcast, around)) begin(broadcast, 'liveStarting', begins, settings);
  }
  if (isStarting(broadcast) && broadcast.startingUntil !== null && broadcast.startingUntil <= now) {
    if (broadcast.lifeCycle === 'liveStarting') broadcast.actualStartAt = broadcast.startingUntil;
    broadcast.lifeCycle = broadcast.lifeCycle === 'liveStarting' ? 'live' : 'testing';
  }
  if (broadcast.lifeCycle === 'live' && enableAutoStop === true && activeSince === null) {
    const lastActiveAt = around.lastActiveAt(broadcast.boundStreamID!) ?? broadcast.actualStartAt!;
    if (lastActiveAt + settings.autoStopMs <= now) complete(broadcast, lastActiveAt + settings.autoStopMs);
  }
}

/** @param isStuck the transition never ends @throws {Refused} */
export function transition(broadcast: KeptBroadcast, to: string, around: Surroundings, isStuck: boolean): void {
  const { lifeCycle, contentDetails, boundStreamID } = broadcast;
  if (lifeCycle === to || lifeCycle === `${to}Starting` || (to === 'testing' && lifeCycle === 'testStarting'))
    throw new Refused('redundantTransition');
  const hasMonitor =
    (contentDetails['monitorStream'] as { enableMonitorStream?: boolean }).enableMonitorStream === true;
  const from: Readonly<Record<string, readonly string[]>> = {
    testing: hasMonitor ? ['ready'] : [],
    live: hasMonitor ? ['testing'] : ['ready'],
    complete: ['testing', 'live'],
  };
  if (!from[to]?.includes(lifeCycle)) throw new Refused('invalidTransition');
  if (to === 'complete') return complete(broadcast, around.now);
  if (around.activeSince(boundStreamID!) === null) throw new Refused('errorStreamInactive');
  const limit = to === 'live' ? limitReached(broadcast, around) : null;
  if (limit) throw new Refused(limit);
  begin(broadcast, to === 'live' ? 'liveStarting' : 'testStarting', around.now, around.settings);
  if (isStuck) broadcast.startingUntil = null;
}

function limitReached(broadcast: KeptBroadcast, around: Surroundings): string | null {
  if (around.liveOnChannel(broadcast) >= around.settings.livePerChannel) return 'concurrentBroadcastsExceedLimit';
  if (around.liveOnIngest(broadcast) >= around.settings.livePerIngest) return 'sharedIngestionBroadcastsExceedLimit';
  return null;
}

function begin(
  broadcast: KeptBroadcast,
  lifeCycle: 'liveStarting' | 'testStarting',
  at: number,
  { startingMs }: StandInSettings,
): void {
  broadcast.lifeCycle = lifeCycle;
  broadcast.startingUntil = at + startingMs;
}

function complete(broadcast: KeptBroadcast, at: number): void {
  broadcast.lifeCycle = 'complete';
  broadcast.actualEndAt = at;
}

function isStarting({ lifeCycle }: KeptBroadcast): boolean {
  return lifeCycle === 'liveStarting' || lifeCycle === 'testStarting';
}

/** Neither its ingest nor its kind can be changed once it has begun. */
export function isBeforeTesting({ lifeCycle }: KeptBroadcast): boolean {
  return lifeCycle === 'created' || lifeCycle === 'ready';
}

/** Counts for the limits. */
export function isOnAir({ lifeCycle }: KeptBroadcast): boolean {
  return lifeCycle === 'live' || lifeCycle === 'liveStarting';
}
