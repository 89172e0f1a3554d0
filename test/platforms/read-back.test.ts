// Platforms' reports about broadcasts and channels: stored, shown beside our evidence, and sent as notices.
import { describe, expect, it } from 'vitest';
import { readBacks } from '../../lambda/data/channels/read-backs.ts';
import { quotaDay } from '../../lambda/domain/channels/platform-quota.ts';
import { readBack } from '../../lambda/platforms/read-back.ts';
import type { Observation } from '../../lambda/ports/managed-platforms/broadcasts.ts';
import { actorsOn } from '../support/actors.ts';
import { mirroredStreamsOn } from '../support/mirrored-streams.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, stream, user } = actorsOn(service);
const mirrored = mirroredStreamsOn(service);
const query = async (sql: string, ...values: unknown[]) => (await service.pool().query(sql, values)).rows;

/** A live stream on a channel of its own, and a worker that queries the platform about it. */
async function liveStream(owner = user()) {
  const channel = await mirrored.channel(owner);
  const { connectionID, platform, settingsID } = channel;
  const { body } = await owner.call('POST', '/streams', {
    streamDestination: 'managed',
    managedSettingsID: settingsID,
  });
  const id: string = body.id;
  const options = mirrored.options({ youtube: platform }, { dailyUnits: { youtube: 10_000 } });
  await mirrored.move(id, 'start');
  platform.fed.add(`ingest of ${id}`);
  await mirrored.workFor(30, connectionID, options);
  await mirrored.move(id, 'media_accepted');
  await query(`delete from outbox where queue = 'platforms'`);
  const says = (said: Partial<Observation>) => {
    const before = { ...platform.broadcasts };
    Object.assign(platform.broadcasts, {
      observe: async (...args: Parameters<typeof before.observe>) =>
        (await before.observe(...args)).map((observation) => ({ ...observation, ...said })),
    });
  };
  return {
    ...channel,
    id,
    says,
    broadcast: async () => (await owner.call('GET', `/streams/${id}/broadcasts`)).body.data[0],
    readBack: () => readBack(options, connectionID),
    /** Advances the time, then queries the platform once more. */
    lookAfter: async (seconds: number) => {
      mirrored.pass(seconds);
      await query(`update broadcasts set look_at = now() - interval '1 second' where connection_id = $1`, connectionID);
      await readBack(options, connectionID);
    },
    connection: async () => (await call('GET', `/connections/${connectionID}`)).body,
    told: () => query('select kind, detail from notifications where user_id = $1', user().id),
    /** The connections that the sweep would have queried. */
    woken: async () => {
      await readBacks(service.pool()).wakeDue(300, 50, 500);
      return query(`delete from outbox where queue = 'platforms' returning body ->> 'connectionID' as id`);
    },
  };
}

const bad = { state: 'bad', issues: [{ type: 'bitrateLow', severity: 'error', detail: 'Send more.' }] } as const;

describe('a live broadcast', () => {
  it('is looked at, and its viewers are counted, once until both are due again', async () => {
    const live = await liveStream();
    live.platform.audience = async (_access, ids) => new Map(ids.map((id) => [id, { live: true, viewers: 7 }]));
    expect(await live.woken()).toEqual([{ id: live.connectionID }]);
    await live.readBack();
    expect(await live.broadcast()).toMatchObject({ health: { state: 'good' }, viewers: { now: 7 } });
    expect(await live.woken()).toEqual([]);
  });

  it('that the platform contradicts us about for a minute is told once, and changes no state', async () => {
    const live = await liveStream();
    live.says({ ingest: 'active', health: bad });
    await live.readBack();
    expect(await live.broadcast()).toMatchObject({ health: { state: 'bad', issues: [{ detail: 'Send more.' }] } });
    expect(await live.told()).toEqual([]);
    await live.lookAfter(61);
    await live.lookAfter(900);
    const { name: streamName } = await stream(live.id);
    expect(await live.told()).toMatchObject([
      { kind: 'platform_disagrees', detail: { streamID: live.id, streamName, health: 'bad', issues: bad.issues } },
    ]);
    expect((await stream(live.id)).state).toBe('active');
    expect((await call('GET', `/streams/${live.id}/readiness`)).body.issues).toContainEqual(
      expect.objectContaining({ code: 'health_bad', stage: 'PREPARATION' }),
    );
  });

  it('that the platform is content with again in time is not told', async () => {
    const live = await liveStream();
    live.says({ health: bad });
    await live.readBack();
    live.says({ health: { state: 'good', issues: [] } });
    await live.lookAfter(61);
    live.says({ health: bad });
    await live.lookAfter(900);
    expect(await live.told()).toEqual([]);
  });

  it('that somebody has ended there is left to the mirror', async () => {
    const live = await liveStream();
    live.platform.endThere(live.platform.made[0]!.id);
    await live.readBack();
    expect((await stream(live.id)).mirror).toMatchObject({ state: 'pending' });
  });
});

describe('a channel', () => {
  const beDue = (id: string) =>
    query(`update connections set verify_at = now() - interval '1 second' where id = $1`, id);

  it('is asked about as soon as it is connected, and not again that day', async () => {
    const live = await liveStream();
    await query(`update broadcasts set phase = 'ended' where connection_id = $1`, live.connectionID);
    expect(await live.woken()).toEqual([{ id: live.connectionID }]);
    await live.readBack();
    expect(await live.woken()).toEqual([]);
  });

  it('is called as the platform says now', async () => {
    const live = await liveStream();
    live.platform.channel = async () => ({ accountID: 'x', title: 'New title', liveURL: 'https://watch.example/new' });
    await beDue(live.connectionID);
    expect(await live.woken()).toEqual([{ id: live.connectionID }]);
    await live.readBack();
    expect(await live.connection()).toMatchObject({ state: 'ok', title: 'New title' });
  });

  it('whose consent has ended is told of once, and forgotten in the end but for its settings', async () => {
    const live = await liveStream();
    live.platform.tokens.clear();
    await live.readBack();
    await live.readBack();
    expect(await live.connection()).toMatchObject({ state: 'grant_revoked' });
    expect(await live.told()).toMatchObject([{ kind: 'channel_lost', detail: { connectionID: live.connectionID } }]);
    await beDue(live.connectionID);
    await live.readBack();
    expect(await live.connection()).toMatchObject({ state: 'pending', accountID: null, title: null, scopes: [] });
    for (const table of ['platform_ingests', 'broadcasts', 'destinations'])
      expect(await query(`select from ${table} where connection_id = $1`, live.connectionID)).toEqual([]);
    expect((await call('GET', `/managed-settings/${live.settingsID}`)).status).toBe(200);
  });
});

it('counts viewers by a call for the channel of a user who has used up a part of the quota', async () => {
  const exhausted = await liveStream();
  const other = await liveStream(await service.user());
  // Its viewers are the first to be counted, so that the sweep wakes it for all.
  await query(`update broadcasts set viewers_observed_at = '2000-01-01' where connection_id = $1`, other.connectionID);
  await query(
    `insert into platform_quota_shares (platform, user_id, day, used_units) values ('youtube', $1, $2::date, 10000)
     on conflict (platform, user_id) do update set used_units = excluded.used_units`,
    user().id,
    quotaDay(mirrored.clock()),
  );
  exhausted.platform.audience = async (_access, ids) => new Map(ids.map((id) => [id, { live: true, viewers: 7 }]));
  exhausted.says({ health: bad });
  await exhausted.readBack();
  expect(await other.broadcast()).toMatchObject({ viewers: { now: 7 } });
  // The health of its own broadcast is not read before tomorrow.
  expect(await exhausted.broadcast()).toMatchObject({ health: { state: 'good' } });
});
