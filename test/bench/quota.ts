// The use of YouTube's daily quota by many channels in a day: the mirror's own rules and a simulated clock.
// The platform is always available; there is no process, no database and no request.
import { quotaShares, unitsKeptForEnds, unitsTaken } from '../../lambda/domain/channels/platform-quota.ts';
import { rotationOf } from '../../lambda/domain/channels/broadcast-rotation.ts';
import { describedAs, nextStep } from '../../lambda/domain/channels/mirror.ts';
import type { MirrorFacts, MirrorStep, OpenBroadcast, Wish } from '../../lambda/domain/channels/mirror.ts';
import type { PlatformCall } from '../../lambda/ports/managed-platforms/broadcasts.ts';
import { createYoutubePlatform } from '../../lambda/ports/managed-platforms/youtube-platform.ts';
import { seeded } from '../support/seeded.ts';

const channels = Number(process.env['QUOTA_CHANNELS'] ?? 1000);
/** Google's default quota of a project. */
const defaultUnits = 10_000;
const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
/** Typical delays, also of the stand-in for YouTube: from the start to media, and from there to live. */
const mediaAfterSeconds = 3;
const liveAfterSeconds = 7;

const { units } = createYoutubePlatform({ clientID: '', clientSecret: '', clock: () => new Date() });
const midnight = Date.parse('2026-11-22T08:00:00Z');
const at = (seconds: number) => new Date(midnight + seconds * 1000);
const secondsOf = (time: Date) => (time.getTime() - midnight) / 1000;

/** The use of channels on a day. */
interface Habit {
  readonly name: string;
  /** Each channel's start and end, in seconds of the day; a run may begin before the day and end after it. */
  readonly run: (random: () => number) => { readonly start: number; readonly end: number };
  readonly rotateAfterMinutes: number | null;
  readonly healthEverySeconds: number;
}

const onceADay = (random: () => number) => {
  const start = random() * 12 * hourSeconds;
  return { start, end: start + (1 + random() * 10) * hourSeconds };
};
const allDay = (random: () => number) => ({ start: -random() * 10 * hourSeconds, end: Infinity });
const [quarter, sixth] = [hourSeconds / 4, 4 * hourSeconds];
const habits: readonly Habit[] = [
  { name: 'a start and a stop, health never', run: onceADay, rotateAfterMinutes: null, healthEverySeconds: Infinity },
  { name: 'a start and a stop, health 4-hourly', run: onceADay, rotateAfterMinutes: null, healthEverySeconds: sixth },
  { name: 'all day, health 4-hourly', run: allDay, rotateAfterMinutes: null, healthEverySeconds: sixth },
  { name: 'all day, health each 15 minutes', run: allDay, rotateAfterMinutes: null, healthEverySeconds: quarter },
  { name: 'all day, a broadcast each 11:40', run: allDay, rotateAfterMinutes: 700, healthEverySeconds: sixth },
];

export function quotaBench(): Promise<void> {
  console.log(
    `${channels} channels for a day; units by kind. A title for each item (4 minutes) would be 18,000 each.\n`,
  );
  for (const habit of habits) {
    const used = simulate(habit, Infinity);
    const each = used.total / channels;
    console.log(`${habit.name}: ${each.toFixed(1)} a channel, ${Math.floor(defaultUnits / each)} channels in 10,000`);
    console.log(`  ${tell(used.byCall)}`);
    const limited = simulate(habit, defaultUnits);
    if (limited.total === used.total) continue;
    console.log(`  With 10,000: ${limited.wentLive} of ${limited.shouldGoLive} runs that begin went live,`);
    console.log(
      `  ${limited.ended} of the ${limited.shouldEnd} that were over by then were ended. Refused: ` +
        tell(limited.leftOut),
    );
  }
  for (const minutes of [1, 5]) {
    const sweeps = (24 * 60) / minutes;
    const sweep = Math.ceil(channels / 50) * units.audience;
    console.log(`viewers of all of them each ${minutes} min: ${sweep * sweeps} units`);
  }
  return Promise.resolve();
}

type Reserve = (call: PlatformCall, isEndReserved: boolean) => boolean;
type ByCall = Map<PlatformCall, number>;

const tell = (counts: ByCall) => [...counts].map(([call, count]) => `${call} ${count}`).join(', ') || 'nothing';

/** A row of ours, with its state at the platform. */
interface SimulatedBroadcast extends OpenBroadcast {
  /** The time at which it goes live at the platform, in seconds of the day. */
  goesLiveAt: number;
  liveAt: Date | null;
  /** Whether the quota of its end was reserved at its creation, on this day. */
  isEndReserved: boolean;
}

interface Channel {
  readonly start: number;
  readonly end: number;
  readonly spread: number;
  broadcasts: Mutable<SimulatedBroadcast>[];
  made: number;
  hasIngest: boolean;
  nextHealthAt: number;
  goesLive: boolean;
  isStuckUntilTomorrow: boolean;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

function simulate(habit: Habit, dailyUnits: number) {
  const random = seeded(1);
  const byCall: ByCall = new Map();
  const leftOut: ByCall = new Map();
  let total = 0;
  /** Whether the remaining quota allows a call of this kind. */
  const reserve = (call: PlatformCall, isEndReserved: boolean): boolean => {
    const taken = unitsTaken(call, units, isEndReserved);
    const kept = call === 'insert' && total + taken > dailyUnits / 3 ? keptForEnds() : 0;
    const isLeft = taken === 0 || total + taken <= dailyUnits * quotaShares[call] - kept;
    const counts = isLeft ? byCall : leftOut;
    counts.set(call, (counts.get(call) ?? 0) + (isLeft ? taken : 1));
    if (isLeft) total += taken;
    return isLeft;
  };
  const keptForEnds = () => {
    const before = all.flatMap(({ broadcasts }) => broadcasts.filter(({ isEndReserved }) => !isEndReserved));
    return unitsKeptForEnds(before.length, units.end, dailyUnits);
  };
  const all = Array.from({ length: channels }, () => makeChannel(habit, random));
  // Checking each channel every second would be 86 million checks, so a channel is checked only at its due times.
  const due = new Map<number, Channel[]>();
  const wake = (channel: Channel, second: number) => {
    const whole = Math.ceil(second);
    if (whole < daySeconds) due.set(whole, [...(due.get(whole) ?? []), channel]);
  };
  for (const channel of all) {
    // Scheduled streams are prepared some time before.
    for (const second of [random() * Math.max(1, channel.start), channel.start, channel.end])
      if (second >= 0 && Number.isFinite(second)) wake(channel, second);
    wake(channel, Math.max(0, channel.nextHealthAt));
  }
  for (let second = 0; second < daySeconds; second++) {
    for (const channel of due.get(second) ?? []) {
      const next = work(channel, habit, second, reserve);
      if (Number.isFinite(next)) wake(channel, Math.max(next, second + 1));
    }
    due.delete(second);
  }
  const begun = all.filter(({ start }) => start >= 0);
  const over = all.filter(({ end }) => end < daySeconds);
  return {
    total,
    byCall,
    leftOut,
    shouldGoLive: begun.length,
    wentLive: begun.filter(({ goesLive }) => goesLive).length,
    shouldEnd: over.filter(({ goesLive }) => goesLive).length,
    ended: over.filter(({ goesLive, broadcasts }) => goesLive && broadcasts.length === 0).length,
  };
}

function makeChannel({ run, healthEverySeconds }: Habit, random: () => number): Channel {
  const { start, end } = run(random);
  const channel: Channel = {
    start,
    end,
    spread: random(),
    broadcasts: [],
    made: 0,
    hasIngest: start < 0,
    nextHealthAt: start < 0 ? random() * healthEverySeconds : start + healthEverySeconds,
    goesLive: start < 0,
    isStuckUntilTomorrow: false,
  };
  if (start >= 0) return channel;
  channel.broadcasts.push({ ...newBroadcast(channel, start, false), ...runningSince(start) });
  channel.made = 1;
  return channel;
}

const thumbnail = 'upl';
const runningSince = (start: number) =>
  ({
    phase: 'live',
    bound: true,
    thumbnail_upload_id: thumbnail,
    liveAt: at(start),
    health_observed_at: at(0),
  }) as const;

function newBroadcast(channel: Channel, second: number, autoStart: boolean): Mutable<SimulatedBroadcast> {
  return {
    id: `broadcast ${channel.made + 1}`,
    n: channel.made + 1,
    external_id: 'made',
    phase: 'prepared',
    pending_since: null,
    missed_at: null,
    bound: false,
    auto_start: autoStart,
    thumbnail_upload_id: null,
    described_hash: 'settings',
    described_at: null,
    ingest_active_at: null,
    health_observed_at: null,
    created_at: at(second),
    goesLiveAt: Infinity,
    liveAt: null,
    isEndReserved: second >= 0,
  };
}

/** Takes all steps that are possible now. @returns the time of the next check */
function work(channel: Channel, habit: Habit, second: number, reserve: Reserve): number {
  if (second >= channel.nextHealthAt) {
    channel.nextHealthAt = second + habit.healthEverySeconds;
    if (second < channel.end && channel.broadcasts.some(({ phase }) => phase === 'live')) reserve('observe', false);
  }
  // Calls that were refused for lack of quota wait for the next day, unless the wish has changed.
  if (channel.isStuckUntilTomorrow && second < channel.end) return Infinity;
  for (;;) {
    const step = nextStep(factsOf(channel, habit, second));
    if (step.do === 'wait') return Math.min(secondsOf(step.until), channel.nextHealthAt);
    if (step.do === 'nothing') return Math.min(step.again ? secondsOf(step.again) : Infinity, channel.nextHealthAt);
    if (step.do === 'close' || step.do === 'open') throw new Error(`nothing is lost here, so nothing is ${step.do}d`);
    if (!reserve(step.do, 'broadcast' in step && step.broadcast?.isEndReserved === true)) {
      channel.isStuckUntilTomorrow = true;
      return Infinity;
    }
    take(channel, step, second);
  }
}

function wishAt({ start, end }: Channel, second: number): { readonly wish: Wish; readonly since: number } {
  if (second >= end) return { wish: { kind: 'none' }, since: end };
  if (second >= start) return { wish: { kind: 'live' }, since: Math.max(start, 0) };
  return { wish: { kind: 'prepared', at: at(start) }, since: 0 };
}

function factsOf(channel: Channel, habit: Habit, second: number): MirrorFacts<Mutable<SimulatedBroadcast>> {
  const { wish, since } = wishAt(channel, second);
  const live = channel.broadcasts.find(({ liveAt }) => liveAt !== null);
  const rotates = habit.rotateAfterMinutes !== null && live !== undefined;
  return {
    now: at(second),
    wish,
    since: at(since),
    hasBroadcasts: true,
    hasIngest: channel.hasIngest,
    broadcasts: channel.broadcasts,
    describedHash: 'settings',
    thumbnailUploadID: thumbnail,
    item: null,
    rotation: rotates
      ? rotationOf({
          liveAt: live.liveAt!,
          afterMinutes: habit.rotateAfterMinutes,
          spread: channel.spread,
          timeline: [],
          anchoredAt: null,
          framesPerSecond: 30,
        })
      : null,
  };
}

type Call = Exclude<MirrorStep<Mutable<SimulatedBroadcast>>, { readonly do: 'wait' | 'nothing' | 'close' | 'open' }>;

/** Applies the effects of a call at the platform and in our rows. */
function take(channel: Channel, step: Call, second: number): void {
  const mediaAt = channel.start + mediaAfterSeconds;
  switch (step.do) {
    case 'ensureIngest':
      channel.hasIngest = true;
      return;
    case 'insert': {
      const { wish } = wishAt(channel, second);
      const made = { ...newBroadcast(channel, second, step.autoStart), described_hash: describedAs('settings', wish) };
      channel.broadcasts.push(made);
      channel.made++;
      return;
    }
    case 'bind':
      step.broadcast.bound = true;
      if (!step.broadcast.auto_start) return;
      step.broadcast.goesLiveAt = Math.max(mediaAt, second) + liveAfterSeconds;
      channel.goesLive = true;
      return;
    case 'thumbnail':
      step.broadcast.thumbnail_upload_id = thumbnail;
      return;
    case 'update':
    case 'describe':
      step.broadcast.described_hash = describedAs('settings', wishAt(channel, second).wish);
      return;
    case 'goLive':
      step.broadcast.goesLiveAt = Math.min(step.broadcast.goesLiveAt, second + liveAfterSeconds);
      step.broadcast.phase = 'starting';
      channel.goesLive = true;
      return;
    case 'end':
      channel.broadcasts.splice(channel.broadcasts.indexOf(step.broadcast), 1);
      return;
    case 'find':
      throw new Error('no answer is lost here');
    case 'observe':
      for (const broadcast of step.broadcasts) {
        broadcast.health_observed_at = at(second);
        if (second >= mediaAt) broadcast.ingest_active_at ??= at(second);
        if (second < broadcast.goesLiveAt) continue;
        broadcast.phase = 'live';
        broadcast.liveAt ??= at(broadcast.goesLiveAt);
      }
  }
}
