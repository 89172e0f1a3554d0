// The mirror: the intended state of a stream's broadcasts on a managed platform, and the next step towards it.
// Pure: a worker computes each step from the rows.
// Decision D132.
import type { StreamState } from '../streams/stream-lifecycle.ts';

/**
 * Intended state of a platform for one stream. `prepared`: a broadcast for its scheduled start, or for a start that
 * waits for preparation (`at` null); `live`: exactly one live broadcast; `none`: no open broadcast.
 */
export type Wish =
  | { readonly kind: 'none' }
  | { readonly kind: 'prepared'; readonly at: Date | null }
  | { readonly kind: 'live' };

/** Intended state by state of the stream. `wish_of_state` in SQL is the same table. */
export const wishOfState: Readonly<Record<StreamState, Wish['kind']>> = {
  draft: 'none',
  invalid: 'none',
  scheduled: 'prepared',
  preparing: 'prepared',
  activating: 'live',
  active: 'live',
  failing: 'live',
  failed: 'none',
  stopping: 'none',
  stopped: 'none',
};

export interface WishingStream {
  readonly state: StreamState;
  readonly schedule_start_at: Date | null;
  readonly deleted_at: Date | null;
}

/** @param usesConnection whether the stream uses settings of this connection */
export function wishOf(stream: WishingStream, usesConnection: boolean): Wish {
  const kind = usesConnection && stream.deleted_at === null ? wishOfState[stream.state] : 'none';
  if (kind !== 'prepared') return { kind };
  return { kind, at: stream.state === 'scheduled' ? stream.schedule_start_at : null };
}

/** A broadcast without a known end. */
export interface OpenBroadcast {
  readonly id: string;
  /** 1 for the first of the stream. */
  readonly n: number;
  /** Null until an answer names it. */
  readonly external_id: string | null;
  readonly phase: 'prepared' | 'starting' | 'live';
  /** When it was requested, if the answer is still missing; else null. */
  readonly pending_since: Date | null;
  /** When a search first did not find it; else null. */
  readonly missed_at: Date | null;
  readonly bound: boolean;
  readonly auto_start: boolean;
  readonly thumbnail_upload_id: string | null;
  readonly described_hash: string | null;
  /** When the platform last received its description; null if never. */
  readonly described_at: Date | null;
  readonly ingest_active_at: Date | null;
  readonly health_observed_at: Date | null;
  readonly created_at: Date;
}

export interface MirrorFacts<Broadcast extends OpenBroadcast = OpenBroadcast> {
  readonly now: Date;
  readonly wish: Wish;
  /** Begin of the generation; observations before it do not count. */
  readonly since: Date;
  /** Whether the platform has broadcasts at all. */
  readonly hasBroadcasts: boolean;
  readonly hasIngest: boolean;
  /** Broadcasts of the stream on this connection, the oldest first. */
  readonly broadcasts: readonly Broadcast[];
  /** Hash of everything that a broadcast's description says, except its start. */
  readonly describedHash: string;
  /** Upload of the thumbnail; null if broadcasts have none of ours. */
  readonly thumbnailUploadID: string | null;
  /** Item in the title of a channel without broadcasts; null if the title names no item. */
  readonly item: TitleItem | null;
  /** When another broadcast follows the live one; null: never. */
  readonly rotation: { readonly prepareAt: Date; readonly at: Date } | null;
}

/** The current item, as far as a title depends on it. */
export interface TitleItem {
  /** Stands for the item's name. */
  readonly hash: string;
  /** When the next item begins. */
  readonly changesAt: Date;
}

/** One call to the platform, one change of a row, or a wait. */
export type MirrorStep<Broadcast extends OpenBroadcast = OpenBroadcast> =
  | { readonly do: 'ensureIngest' }
  /** `broadcast`: a row whose creation is known to have failed; null: a new row. */
  | { readonly do: 'insert'; readonly broadcast: Broadcast | null; readonly autoStart: boolean }
  | {
      readonly do: 'find' | 'bind' | 'update' | 'thumbnail' | 'goLive' | 'end' | 'describe';
      readonly broadcast: Broadcast;
    }
  | { readonly do: 'observe'; readonly broadcasts: readonly Broadcast[] }
  /** Records that a broadcast is over, or never existed; no call. */
  | { readonly do: 'close'; readonly broadcast: Broadcast }
  /** Records that the channel is live, for platforms without broadcasts; no call. */
  | { readonly do: 'open' }
  | { readonly do: 'wait'; readonly until: Date }
  /** `again`: when the intent changes by itself; null: never. */
  | { readonly do: 'nothing'; readonly again: Date | null };

/** Seconds after which a missing broadcast is searched again; if it is missing then, it was never created. */
const missedAgainSeconds = 60;
/** Seconds with media after which a broadcast that should start by itself is taken live by a call. */
const handTransitionAfterSeconds = 60;
/** Intervals between looks, by how long the stream has been live. Each look costs quota. */
const looks = [
  { untilSeconds: 60, everySeconds: 5 },
  { untilSeconds: 600, everySeconds: 30 },
  { untilSeconds: 3600, everySeconds: 120 },
  { untilSeconds: Infinity, everySeconds: 900 },
] as const;

/** Least seconds between two titles of a channel that follow its items. */
const itemTitleSeconds = 300;
/** Least seconds between two looks at the current item, even if items with the same name are shorter. */
const itemLookSeconds = 60;

const after = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000);

/** Hash of a broadcast's description, including its start while it is prepared, and the item if its title has one. */
export function describedAs(hash: string, wish: Wish, item: TitleItem | null = null): string {
  if (wish.kind === 'prepared') return `${hash} ${wish.at?.toISOString() ?? ''}`;
  return item ? `${hash} ${item.hash}` : hash;
}

/** The next step towards the intent. */
export function nextStep<Broadcast extends OpenBroadcast>(facts: MirrorFacts<Broadcast>): MirrorStep<Broadcast> {
  const { now, wish, broadcasts } = facts;
  if (!facts.hasBroadcasts) return nextStepOfChannel(facts);
  // Nothing is created or ended while the existing broadcasts are unknown.
  const uncertain = broadcasts.find(({ pending_since: since }) => since !== null);
  if (uncertain) {
    const again = uncertain.missed_at && after(uncertain.missed_at, missedAgainSeconds);
    return again && again > now ? { do: 'wait', until: again } : { do: 'find', broadcast: uncertain };
  }
  const unmade = broadcasts.filter(({ external_id: id }) => id === null);
  const made = broadcasts.filter(({ external_id: id }) => id !== null);
  if (wish.kind === 'none') {
    if (unmade[0]) return { do: 'close', broadcast: unmade[0] };
    const first = made.find(({ phase }) => phase === 'live') ?? made[0];
    return first ? { do: 'end', broadcast: first } : { do: 'nothing', again: null };
  }
  const unseen = made.some(({ health_observed_at: at }) => at === null || at < facts.since);
  if (unseen) return { do: 'observe', broadcasts: made };
  return wish.kind === 'prepared' ? prepare(facts, made, unmade) : keepLive(facts, made, unmade);
}

function prepare<Broadcast extends OpenBroadcast>(
  facts: MirrorFacts,
  made: readonly Broadcast[],
  unmade: readonly Broadcast[],
): MirrorStep<Broadcast> {
  // A broadcast of the previous run whose end is still to be carried out.
  const left = made.find(({ phase }) => phase !== 'prepared') ?? made[1];
  if (left) return { do: 'end', broadcast: left };
  const [kept] = made;
  if (!kept) return make(facts, unmade[0] ?? null, true);
  if (unmade[0]) return { do: 'close', broadcast: unmade[0] };
  return complete(facts, kept) ?? { do: 'nothing', again: null };
}

function keepLive<Broadcast extends OpenBroadcast>(
  facts: MirrorFacts,
  made: readonly Broadcast[],
  unmade: readonly Broadcast[],
): MirrorStep<Broadcast> {
  const live = made.filter(({ phase }) => phase === 'live');
  // The overlap of a rotation is over.
  if (live.length > 1) return { do: 'end', broadcast: live[0]! };
  const current = live[0] ?? made[0];
  if (!current) return make(facts, unmade[0] ?? null, false);
  const before = made.find(({ n }) => n < current.n);
  if (before) return { do: 'end', broadcast: before };
  const next = made.find(({ n }) => n > current.n) ?? null;
  if (current.phase !== 'live') {
    if (next) return { do: 'end', broadcast: next };
    return takeLive(facts, current);
  }
  const rotation = facts.rotation !== null && facts.now >= facts.rotation.prepareAt ? facts.rotation : null;
  if (rotation === null) {
    if (next) return { do: 'end', broadcast: next };
    if (unmade[0]) return { do: 'close', broadcast: unmade[0] };
    return complete(facts, current) ?? { do: 'nothing', again: facts.rotation?.prepareAt ?? null };
  }
  if (!next) return make(facts, unmade[0] ?? null, false);
  if (facts.now >= rotation.at || next.phase === 'starting') return takeLive(facts, next);
  return complete(facts, next) ?? complete(facts, current) ?? { do: 'nothing', again: rotation.at };
}

function make<Broadcast extends OpenBroadcast>(
  { hasIngest }: MirrorFacts,
  broadcast: Broadcast | null,
  autoStart: boolean,
): MirrorStep<Broadcast> {
  return hasIngest ? { do: 'insert', broadcast, autoStart } : { do: 'ensureIngest' };
}

/** Steps that an existing broadcast still needs; null if it is complete. */
function complete<Broadcast extends OpenBroadcast>(
  facts: MirrorFacts,
  broadcast: Broadcast,
): MirrorStep<Broadcast> | null {
  if (!facts.hasIngest) return { do: 'ensureIngest' };
  if (!broadcast.bound) return { do: 'bind', broadcast };
  if (!isDescribed(facts, broadcast)) return { do: 'update', broadcast };
  const { thumbnailUploadID: wished } = facts;
  return wished !== null && wished !== broadcast.thumbnail_upload_id ? { do: 'thumbnail', broadcast } : null;
}

function isDescribed({ wish, describedHash }: MirrorFacts, { described_hash: told }: OpenBroadcast): boolean {
  return wish.kind === 'prepared'
    ? told === describedAs(describedHash, wish)
    : told !== null && told.split(' ')[0] === describedHash;
}

function takeLive<Broadcast extends OpenBroadcast>(facts: MirrorFacts, broadcast: Broadcast): MirrorStep<Broadcast> {
  const { now } = facts;
  if (!facts.hasIngest) return { do: 'ensureIngest' };
  if (!broadcast.bound) return { do: 'bind', broadcast };
  const active = broadcast.ingest_active_at;
  const byHand = active && after(active, broadcast.auto_start ? handTransitionAfterSeconds : 0);
  if (broadcast.phase === 'prepared' && byHand && byHand <= now) return { do: 'goLive', broadcast };
  const sinceMs = Math.max(facts.since.getTime(), broadcast.created_at.getTime());
  const wishedSeconds = (now.getTime() - sinceMs) / 1000;
  const { everySeconds } = looks.find(({ untilSeconds }) => wishedSeconds < untilSeconds)!;
  const lookAt = after(broadcast.health_observed_at!, everySeconds);
  return lookAt <= now ? { do: 'observe', broadcasts: [broadcast] } : { do: 'wait', until: lookAt };
}

/** On a platform without broadcasts the channel is live while media arrive. One row for each run records the title. */
function nextStepOfChannel<Broadcast extends OpenBroadcast>(facts: MirrorFacts<Broadcast>): MirrorStep<Broadcast> {
  const [current, ...more] = facts.broadcasts.toReversed();
  const over = facts.wish.kind === 'live' ? more[0] : current;
  if (over) return { do: 'close', broadcast: over };
  if (facts.wish.kind === 'none') return { do: 'nothing', again: null };
  if (!facts.hasIngest) return { do: 'ensureIngest' };
  if (facts.wish.kind === 'prepared') return { do: 'nothing', again: null };
  if (!current) return { do: 'open' };
  if (!isDescribed(facts, current)) return { do: 'describe', broadcast: current };
  return followItem(facts, current);
}

const latest = (...times: readonly Date[]) => new Date(Math.max(...times.map((time) => time.getTime())));

/** Sends the current item's title, but skips items of a fast sequence. */
function followItem<Broadcast extends OpenBroadcast>(
  { now, item, describedHash, wish }: MirrorFacts<Broadcast>,
  current: Broadcast,
): MirrorStep<Broadcast> {
  if (item === null) return { do: 'nothing', again: null };
  const mayAt = after(current.described_at ?? current.created_at, itemTitleSeconds);
  const isDescribed = current.described_hash === describedAs(describedHash, wish, item);
  if (!isDescribed) return mayAt <= now ? { do: 'describe', broadcast: current } : { do: 'nothing', again: mayAt };
  return { do: 'nothing', again: latest(item.changesAt, mayAt, after(now, itemLookSeconds)) };
}
