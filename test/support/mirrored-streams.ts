// Managed streams on a channel in memory, and a worker whose clock the test controls.
import { beforeEach } from 'vitest';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { nextState } from '../../lambda/domain/streams/stream-lifecycle.ts';
import type { TransitionCause } from '../../lambda/domain/streams/stream-lifecycle.ts';
import { mirrorConnection } from '../../lambda/platforms/mirror-connection.ts';
import type { MirrorOptions } from '../../lambda/platforms/mirror-options.ts';
import { sealGrant } from '../../lambda/ports/managed-platforms/kept-grant.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { createMemoryPlatform } from './memory-platform.ts';
import { testDataKey } from './service.ts';
import type { TestService, TestUser } from './service.ts';

const runFormat = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;

export type MirroredStreams = ReturnType<typeof mirroredStreamsOn>;

export function mirroredStreamsOn(service: TestService) {
  const sealer = createSealer([testDataKey]);
  let aheadMs = 0;
  const clock = () => new Date(Date.now() + aheadMs);
  const logged: string[] = [];
  const pool = () => service.pool();
  const data = () => databaseOn(pool());

  /** Generations begin at the time of the database. New ones get the worker's time. */
  const followClock = () =>
    pool().query(
      `update mirror_intents set created_at = created_at + ahead, next_attempt_at = next_attempt_at + ahead
       from make_interval(secs => $1) as ahead where created_at = updated_at and $1 > 0`,
      [aheadMs / 1000],
    );
  const reset = async () => {
    aheadMs = 0;
    await pool().query('truncate platform_quota, platform_quota_shares');
  };
  beforeEach(reset);

  const mirrored = {
    clock,
    logged,
    sealer,
    /** Returns to the time of the database, and clears the used quota. */
    reset,
    /** Advances the clock of the worker and the platform. The database's own clock does not move. */
    pass: (seconds: number) => void (aheadMs += seconds * 1000),

    /** A connected channel, its platform, and settings of its broadcasts. */
    async channel(user: TestUser, more: object = {}) {
      const platform = createMemoryPlatform(clock);
      const id = newID('con', new Date());
      await data().connections.insert({ id, userID: user.id, platform: 'youtube' });
      const connect = async () => {
        const name = `${platform.tokens.size}`;
        const grant = { accessToken: `access ${id} ${name}`, refreshToken: `refresh ${id} ${name}`, scopes: ['all'] };
        platform.tokens.add(grant.accessToken).add(grant.refreshToken);
        await data().connections.connect({
          id,
          state: 'ok',
          accountID: `channel of ${id}`,
          title: 'A channel',
          liveURL: 'https://watch.example/live',
          sealedGrant: sealGrant(sealer, id, { ...grant, expiresAt: new Date(Date.now() + 365 * 86_400_000) }),
          scopes: ['all'],
          grantDays: null,
        });
      };
      await connect();
      const settings = await user.call('POST', '/managed-settings', {
        connectionID: id,
        name: 'settings',
        titleTemplate: 'Radio {n}',
        privacy: 'public',
        madeForKids: false,
        ...more,
      });
      return { connectionID: id, platform, settingsID: settings.body.id as string, connect };
    },

    /** Moves a stream between states as its lifecycle does, without the other effects of a start or stop. */
    move: (streamID: string, cause: TransitionCause) =>
      inTransaction(pool(), async (tx) => {
        const stream = (await tx.streams.lockAny(streamID))!;
        if (nextState(stream.state, cause) !== 'activating') return tx.streamMoves.move(stream, cause);
        const begin = { stream, cause, reason: null, format: runFormat, pendingSound: null, slots: 1 };
        return (await tx.streamMoves.begin([begin])).get(streamID)!;
      }),

    options: (platforms: MirrorOptions['platforms'], more: Partial<MirrorOptions> = {}): MirrorOptions => ({
      pool: pool(),
      platforms,
      sealer,
      objects: service.objects(),
      dailyUnits: {},
      clock,
      steadyClock: () => 0,
      random: () => 0,
      newID: (prefix) => newID(prefix, clock()),
      log: (event, fields) => void logged.push(JSON.stringify({ event, ...fields, error: String(fields['error']) })),
      signal: new AbortController().signal,
      ...more,
    }),

    /** Carries out each due command of a connection once. @returns their number */
    async work(connectionID: string, options: MirrorOptions): Promise<number> {
      await followClock();
      const { rows } = await pool().query(
        `delete from outbox
         where queue = 'platforms' and body ->> 'connectionID' = $1 and visible_at <= $2 returning id`,
        [connectionID, clock()],
      );
      if (rows.length > 0) await mirrorConnection(options, connectionID);
      return rows.length;
    },

    /** Works until no command is due within this many seconds, and advances the clock in between. */
    async workFor(seconds: number, connectionID: string, options: MirrorOptions): Promise<void> {
      const endMs = clock().getTime() + seconds * 1000;
      for (;;) {
        await mirrored.work(connectionID, options);
        const { rows } = await pool().query(
          `select min(visible_at) as at from outbox where queue = 'platforms' and body ->> 'connectionID' = $1`,
          [connectionID],
        );
        const at: Date | null = rows[0].at;
        if (at === null || at.getTime() > endMs) break;
        aheadMs += Math.max(0, at.getTime() - clock().getTime());
      }
      aheadMs += Math.max(0, endMs - clock().getTime());
    },
  };
  return mirrored;
}
