// The mirror: what is wished of a stream's broadcasts on a managed platform, and the next step towards it.
// Pure: whoever works a mirror computes the next step anew from the rows, after each step.
import type { StreamState } from '../streams/stream-lifecycle.ts';

/**
 * What is wished of a platform for one stream. `prepared`: a broadcast for its scheduled start, or for one that begins
 * as soon as its media are prepared (`at` null); `live`: exactly one live broadcast; `none`: no broadcast that is open.
 */
export type Wish =
  | { readonly kind: 'none' }
  | { readonly kind: 'prepared'; readonly at: Date | null }
  | { readonly kind: 'live' };

/** The wish that follows from a stream's state. `wish_of_state` in SQL says the same. */
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

/** @param goesByIt whether the stream goes by settings of the connection that is asked about */
export function wishOf(stream: WishingStream, goesByIt: boolean): Wish {
  const kind = goesByIt && stream.deleted_at === null ? wishOfState[stream.state] : 'none';
  if (kind !== 'prepared') return { kind };
  return { kind, at: stream.state === 'scheduled' ? stream.schedule_start_at : null };
}

/** A broadcast that has not ended, as far as we know. */
export interface OpenBroadcast {
  readonly id: string;
  readonly n: number;
  /** Null while no answer has named it. */
  readonly external_id: string | null;
  readonly phase: 'prepared' | 'starting' | 'live';
  /** Since when the answer to its making is not known. */
  readonly pending_since: Date | null;
  /** When it was looked for first, and was not there. */
  readonly missed_at: Date | null;
  readonly bound: boolean;
  readonly auto_start: boolean;
  readonly thumbnail_upload_id: string | null;
  readonly described_hash: string | null;
  /** When the platform was told last what it is called. */
  readonly described_at: Date | null;
  readonly ingest_active_at: Date | null;
  readonly health_observed_at: Date | null;
  readonly created_at: Date;
}

export interface MirrorFacts<Broadcast extends OpenBroadcast = OpenBroadcast> {
  readonly now: Date;
  readonly wish: Wish;
  /** When the generation was begun: what was observed before that is not relied on. */
  readonly since: Date;
  /** Whether the platform has broadcasts at all. */
  readonly hasBroadcasts: boolean;
  readonly hasIngest: boolean;
  /** Those of the stream on this connection, the oldest first. */
  readonly broadcasts: readonly Broadcast[];
  /** Stands for everything that a broadcast is told but for its start. */
  readonly describedHash: string;
  /** The upload of the picture that broadcasts have; null: they have none of ours. */
  readonly thumbnailUploadID: string | null;
  /** What a channel without broadcasts is called by; null where its title names no item. */
  readonly item: TitleItem | null;
  /** When the broadcast that is live is to be followed by another; null: never. */
  readonly rotation: { readonly prepareAt: Date; readonly at: Date } | null;
}

/** What plays, as far as a title tells it. */
export interface TitleItem {
  /** Stands for its name. */
  readonly hash: string;
  /** When another one begins. */
  readonly changesAt: Date;
}

/** One call to the platform, a note of ours, or nothing for a while. */
export type MirrorStep<Broadcast extends OpenBroadcast = OpenBroadcast> =
  | { readonly do: 'ensureIngest' }
  /** `broadcast`: a row whose making is known to have failed; null: a new one. */
  | { readonly do: 'insert'; readonly broadcast: Broadcast | null; readonly autoStart: boolean }
  | {
      readonly do: 'find' | 'bind' | 'update' | 'thumbnail' | 'goLive' | 'end' | 'describe';
      readonly broadcast: Broadcast;
    }
  | { readonly do: 'observe'; readonly broadcasts: readonly Broadcast[] }
  /** Notes that a broadcast is over, or never was: no call. */
  | { readonly do: 'close'; readonly broadcast: Broadcast }
  /** Notes that the channel is live, where the platform has no broadcasts: no call. */
  | { readonly do: 'open' }
  | { readonly do: 'wait'; readonly until: Date }
  /** `again`: when the wish changes by itself; null: never. */
  | { readonly do: 'nothing'; readonly again: Date | null };

/** A broadcast that was not found is looked for again after this, and then counts as never made. */
const missedAgainSeconds = 60;
/** One that starts by itself is taken live by hand if it has not done so after so long with media. */
const handTransitionAfterSeconds = 60;
/** How often to look, by how long it is wished live already. Each look costs quota. */
const looks = [
  { untilSeconds: 60, everySeconds: 5 },
  { untilSeconds: 600, everySeconds: 30 },
  { untilSeconds: 3600, everySeconds: 120 },
  { untilSeconds: Infinity, everySeconds: 900 },
] as const;

/** The title of a channel follows what plays no sooner than so long after it was told last. */
const itemTitleSeconds = 300;
/** What plays is looked up no more often than this, however short the items are that all have one name. */
const itemLookSeconds = 60;

const after = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000);

/**
 * What a broadcast was told, as one text: with its start while it is prepared, which is not told any more later; with
 * what plays where its title follows that.
 */
export function describedAs(hash: string, wish: Wish, item: TitleItem | null = null): string {
  if (wish.kind === 'prepared') return `${hash} ${wish.at?.toISOString() ?? ''}`;
  return item ? `${hash} ${item.hash}` : hash;
}

/** The next step towards the wish. */
export function nextStep<Broadcast extends OpenBroadcast>(facts: MirrorFacts<Broadcast>): MirrorStep<Broadcast> {
  const { now, wish, broadcasts } = facts;
  if (!facts.hasBroadcasts) return nextStepOfChannel(facts);
  // Nothing is made or ended while it is not known what there is.
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
  // Of the run before: its end was wished and not carried out yet.
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

/** What a broadcast needs besides being there; null where nothing is missing. */
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

/** On a channel without broadcasts whoever sends is live. A row a run is what it was called. */
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

/** Tells what plays, and not each item of many short ones. */
function followItem<Broadcast extends OpenBroadcast>(
  { now, item, describedHash, wish }: MirrorFacts<Broadcast>,
  current: Broadcast,
): MirrorStep<Broadcast> {
  if (item === null) return { do: 'nothing', again: null };
  const mayAt = after(current.described_at ?? current.created_at, itemTitleSeconds);
  const isTold = current.described_hash === describedAs(describedHash, wish, item);
  if (!isTold) return mayAt <= now ? { do: 'describe', broadcast: current } : { do: 'nothing', again: mayAt };
  return { do: 'nothing', again: latest(item.changesAt, mayAt, after(now, itemLookSeconds)) };
}
