// The life of a broadcast (https://developers.google.com/youtube/v3/live/life-of-a-broadcast).
import { Refused } from './refused.ts';
import type { KeptBroadcast } from './state.ts';

/** Delays and limits. YouTube publishes no numbers: these are reports of others. */
export interface StandInSettings {
  readonly dailyUnits: number;
  readonly livePerChannel: number;
  readonly livePerIngest: number;
  /** From a transition to its end. */
  readonly startingMs: number;
  /** From the ingest's first media to the automatic start of a broadcast. */
  readonly autoStartMs: number;
  /** From the ingest's last media to the automatic stop of a broadcast. */
  readonly autoStopMs: number;
  /** From an insert until the broadcast is visible as a video. */
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

/** The facts outside a broadcast that its life depends on. Times are milliseconds since the epoch. */
export interface Surroundings {
  readonly now: number;
  readonly settings: StandInSettings;
  /** Start of the time when the bound ingest has video and sound; null if one is missing. */
  activeSince(streamID: string): number | null;
  lastActiveAt(streamID: string): number | null;
  /** Number of other broadcasts that are live or starting. */
  liveOnChannel(broadcast: KeptBroadcast): number;
  liveOnIngest(broadcast: KeptBroadcast): number;
}

/** Applies the automatic changes up to now. */
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

/** Whether the broadcast has not begun: after that, its ingest and its kind are fixed. */
export function isBeforeTesting({ lifeCycle }: KeptBroadcast): boolean {
  return lifeCycle === 'created' || lifeCycle === 'ready';
}

/** Whether the broadcast counts for the limits. */
export function isOnAir({ lifeCycle }: KeptBroadcast): boolean {
  return lifeCycle === 'live' || lifeCycle === 'liveStarting';
}
