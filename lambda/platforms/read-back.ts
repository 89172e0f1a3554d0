// Reads the due facts of one connection: whether its grant is valid, the health of its broadcasts, and viewers.
import type { LeasedConnection } from '../data/channels/connection-leases.ts';
import { inMirrorTransaction, mirrorDatabaseOn } from '../data/mirror-database.ts';
import type { LiveBroadcast } from '../data/channels/read-backs.ts';
import {
  broadcastsPerCount,
  contradicts,
  disagreementSeconds,
  nextLookAt,
  nextVerifyAt,
  viewersEverySeconds,
} from '../domain/channels/read-back.ts';
import type { Health } from '../ports/managed-platforms/broadcasts.ts';
import { PlatformRefusal } from '../ports/managed-platforms/managed-platform.ts';
import type { ManagedPlatform } from '../ports/managed-platforms/managed-platform.ts';
import { accessTokenOf, LeaseLost } from './access-token.ts';
import type { MirrorOptions } from './mirror-options.ts';
import { endDisconnected } from './end-disconnected.ts';
import { reserveUnits } from './reserve-units.ts';

/** Longer than all calls of a turn. */
const leaseSeconds = 60;
/** The wait after a refusal without a time for the next attempt. */
const retrySeconds = 900;

/** Does what is due. If another worker has the connection, the next sweep retries. */
export async function readBack(options: MirrorOptions, connectionID: string): Promise<void> {
  const { pool, clock, newID } = options;
  const data = mirrorDatabaseOn(pool);
  const leaseToken = newID('lse');
  const now = clock();
  const until = new Date(now.getTime() + leaseSeconds * 1000);
  if (!(await data.connectionLeases.lease(connectionID, leaseToken, now, until))) return;
  try {
    const connection = await inMirrorTransaction(pool, (tx) =>
      tx.connectionLeases.lockLeased(connectionID, leaseToken),
    );
    if (!connection || connection.state === 'pending') return;
    const isToVerify = await data.readBacks.isToVerify(connectionID);
    if (connection.deleted_at !== null) {
      await endDisconnected(options, connection, { leaseToken, isOverdue: isToVerify });
      return;
    }
    if (connection.state === 'grant_revoked') {
      if (isToVerify) await inMirrorTransaction(pool, (tx) => tx.readBacks.forgetChannel(connectionID));
      return;
    }
    const platform = options.platforms[connection.platform];
    if (platform && connection.state !== 'scope_missing')
      await new ReadBack(options, platform, connection, leaseToken).run(isToVerify);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await data.connectionLeases.release(connectionID, leaseToken);
  }
}

type Seen = Readonly<{ ingest: 'active' | 'inactive' | 'unknown'; health: Health | null }>;

class ReadBack {
  readonly #options: MirrorOptions;
  readonly #platform: ManagedPlatform;
  readonly #connection: LeasedConnection;
  readonly #leaseToken: string;

  constructor(options: MirrorOptions, platform: ManagedPlatform, connection: LeasedConnection, leaseToken: string) {
    this.#options = options;
    this.#platform = platform;
    this.#connection = connection;
    this.#leaseToken = leaseToken;
  }

  async run(isToVerify: boolean): Promise<void> {
    try {
      if (isToVerify) await this.#verify();
      await this.#look();
      await this.#countViewers();
    } catch (error) {
      if (!(error instanceof PlatformRefusal)) throw error;
      await this.#recordRefusal(error);
    }
  }

  get #data() {
    return mirrorDatabaseOn(this.#options.pool);
  }

  async #verify(): Promise<void> {
    if (!(await this.#hasUnits('audience'))) return;
    const { title, liveURL } = await this.#call((access) => this.#platform.channel(access));
    await this.#subscribe();
    const { clock, random } = this.#options;
    const verifyAt = nextVerifyAt(clock(), random);
    await this.#data.readBacks.saveVerified(this.#connection.id, { title, liveURL, verifyAt });
  }

  /** Subscribes to the channel's events. It has no effect unless the platform has ended the subscription. */
  async #subscribe(): Promise<void> {
    const { subscribe, name } = this.#platform;
    const { account_id: accountID } = this.#connection;
    const callbackURL = this.#options.eventsURL?.(name);
    if (!subscribe || accountID === null || callbackURL === undefined) return;
    await this.#call((access) => subscribe(access, { accountID, callbackURL }));
  }

  async #look(): Promise<void> {
    const live = await this.#data.readBacks.dueBroadcasts(this.#connection.id);
    if (live.length === 0) return;
    const seen = this.#platform.broadcasts ? await this.#observe(live) : await this.#seeChannel(live);
    for (const broadcast of live) {
      const of = seen?.get(broadcast.id);
      if (of) await this.#recordLook(broadcast, of);
    }
  }

  async #observe(live: readonly LiveBroadcast[]): Promise<ReadonlyMap<string, Seen> | null> {
    if (!(await this.#hasUnits('observe'))) return null;
    const ids = live.flatMap(({ external_id: id }) => id ?? []);
    const observations = await this.#call((access) => this.#platform.broadcasts!.observe(access, ids));
    const seen = new Map<string, Seen>();
    for (const broadcast of live) {
      const found = observations.find(({ externalID }) => externalID === broadcast.external_id);
      if (found && found.phase !== 'ended') seen.set(broadcast.id, found);
      else await this.#requestObservation(broadcast);
    }
    return seen;
  }

  async #seeChannel(live: readonly LiveBroadcast[]): Promise<ReadonlyMap<string, Seen> | null> {
    const { account_id: accountID } = this.#connection;
    if (accountID === null || !(await this.#hasUnits('audience'))) return null;
    const answer = await this.#call((access) => this.#platform.audience(access, [accountID]));
    const isLive = answer.get(accountID)?.live ?? null;
    const ingest = isLive === null ? 'unknown' : isLive ? 'active' : 'inactive';
    return new Map(live.map(({ id }) => [id, { ingest, health: null }]));
  }

  /** Lets the mirror's worker observe the broadcast, and restore what is wished. */
  #requestObservation({ stream_id: streamID }: LiveBroadcast): Promise<void> {
    return inMirrorTransaction(this.#options.pool, async (data) => {
      const stream = await data.streams.lockAny(streamID);
      if (stream) await data.mirrorIntents.supersede([stream], 'observed');
    });
  }

  #recordLook(broadcast: LiveBroadcast, { ingest, health }: Seen): Promise<void> {
    const { pool, clock, random } = this.#options;
    const { id, stream_id: streamID, user_id: userID, state, disagrees_since: since } = broadcast;
    const now = clock();
    const view = { ingest, health: health?.state ?? 'unknown' } as const;
    const disagreesSince = contradicts(view, state) ? (since ?? now) : null;
    return inMirrorTransaction(pool, async (data) => {
      const nextAt = nextLookAt(now, { disagreesSince, state }, random);
      await data.readBacks.saveChecked(id, { now, nextAt, disagreesSince, health });
      if (disagreesSince === null || now.getTime() - disagreesSince.getTime() < disagreementSeconds * 1000) return;
      await data.notifications.add({
        userID,
        kind: 'platform_disagrees',
        reference: `${id} ${disagreesSince.toISOString()}`,
        detail: {
          streamID,
          streamName: (await data.streams.find(userID, streamID))?.name ?? null,
          broadcastID: id,
          platform: this.#platform.name,
          ...view,
          issues: health?.issues ?? [],
        },
        dueAt: now,
      });
    });
  }

  async #countViewers(): Promise<void> {
    const { name } = this.#platform;
    if (!(await this.#data.readBacks.isAnyToCount(name, viewersEverySeconds))) return;
    // One call counts broadcasts of many users, so it waits for the share of none of them.
    if (!(await this.#reserves('audience', null))) return;
    const taken = await this.#data.readBacks.takeToCount(name, viewersEverySeconds, broadcastsPerCount);
    if (taken.length === 0) return;
    const ids = [...new Set(taken.map(({ asked_id: id }) => id))];
    const answer = await this.#call((access) => this.#platform.audience(access, ids));
    await this.#data.readBacks.saveViewers(
      taken.map(({ id, asked_id: askedID }) => ({ id, viewers: answer.get(askedID)?.viewers ?? null })),
    );
  }

  /** Reserves the units of a call. If there are none, postpones the due readings. */
  async #hasUnits(call: 'observe' | 'audience'): Promise<boolean> {
    if (await this.#reserves(call, this.#connection.user_id)) return true;
    await this.#postpone(null);
    return false;
  }

  /** @param userID the user who pays for the call with a share of the quota; null: none */
  async #reserves(call: 'observe' | 'audience', userID: string | null): Promise<boolean> {
    const about = { call, userID, broadcast: null };
    return (await reserveUnits(this.#data, this.#options, this.#platform, about)) === 'taken';
  }

  /** Calls with a token, and retries once with a refreshed one if it has expired early. */
  async #call<Answer>(ask: (access: string) => Promise<Answer>): Promise<Answer> {
    const token = async (force: boolean) => {
      // Read again: the grant may have been refreshed, which may have invalidated the previous one.
      const { id } = this.#connection;
      const connection = await this.#data.connectionLeases.lockLeased(id, this.#leaseToken);
      if (!connection) throw new LeaseLost();
      return accessTokenOf(this.#options, this.#platform, connection, { leaseToken: this.#leaseToken, force });
    };
    try {
      return await ask(await token(false));
    } catch (error) {
      if (!(error instanceof PlatformRefusal) || error.code !== 'grant_revoked') throw error;
      return ask(await token(true));
    }
  }

  async #recordRefusal({ code, reason, retryAt }: PlatformRefusal): Promise<void> {
    const { id: connectionID } = this.#connection;
    this.#options.log('read_back_refused', { connectionID, code, reason });
    const problem = `${this.#platform.title} answered: ${reason}.`;
    if (code === 'grant_revoked') {
      await this.#data.connectionLeases.setState(connectionID, 'grant_revoked', problem);
      return;
    }
    if (code === 'live_not_enabled')
      await this.#data.connectionLeases.setState(connectionID, 'live_not_enabled', problem);
    await this.#postpone(retryAt);
  }

  #postpone(until: Date | null): Promise<void> {
    const now = this.#options.clock();
    const later = new Date(now.getTime() + retrySeconds * 1000);
    return this.#data.readBacks.postpone(this.#connection.id, until !== null && until > now ? until : later);
  }
}
