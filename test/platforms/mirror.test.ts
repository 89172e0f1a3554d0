// A managed stream, from its schedule to a broadcast that is prepared, goes live and ends, on a platform in memory.
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { wishOfState } from '../../lambda/domain/channels/mirror.ts';
import { quotaDay } from '../../lambda/domain/channels/platform-quota.ts';
import { streamStates } from '../../lambda/domain/streams/stream-lifecycle.ts';
import { createPlatformsHandler } from '../../lambda/platforms/platforms.ts';
import { actorsOn, inFuture } from '../support/actors.ts';
import { mirroredStreamsOn } from '../support/mirrored-streams.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';

const service = testService();
const { call, create, dueKinds, fallDue, fire, stream, upload, user } = actorsOn(service);
const mirrored = mirroredStreamsOn(service);

/** A managed stream on a channel of its own, and the worker of its mirror. */
async function managedStream(more: object = {}) {
  const channel = await mirrored.channel(user(), more);
  const { connectionID, platform, settingsID } = channel;
  const id = await create('/streams', {
    name: 'Night radio',
    streamDestination: 'managed',
    managedSettingsID: settingsID,
  });
  const options = mirrored.options({ youtube: platform });
  return {
    ...channel,
    id,
    options,
    ingestID: `ingest of ${id}`,
    work: () => mirrored.work(connectionID, options),
    workFor: (seconds: number) => mirrored.workFor(seconds, connectionID, options),
    mirror: async () => (await stream(id)).mirror,
    broadcasts: async () => (await call('GET', `/streams/${id}/broadcasts`)).body.data,
    schedule: (seconds: number) =>
      call('POST', `/streams/${id}/schedule`, { scheduleStartAt: inFuture(seconds), scheduleEndAt: null }),
    start: () => mirrored.move(id, 'start'),
    stop: () => mirrored.move(id, 'stop'),
    retry: async () => {
      await service.pool().query(`update mirror_intents set created_at = created_at - interval '1 day'`);
      return call('PATCH', `/streams/${id}`, { retryMirror: true });
    },
  };
}

describe('a managed stream', () => {
  it('names the first song in the title of its broadcast, and not the picture behind the songs', async () => {
    const managed = await managedStream({ titleTemplate: 'Now: {item}' });
    await call('PATCH', `/streams/${managed.id}`, { videoUploadObjectID: await upload() });
    await managed.schedule(3600);
    await managed.work();
    expect(managed.platform.open()).toMatchObject([{ draft: { title: 'Now: clip' } }]);

    const another = await managedStream({ titleTemplate: 'Now: {item}' });
    await call('PATCH', `/streams/${another.id}`, { videoUploadObjectID: await upload() });
    const song = await upload();
    await call('PATCH', `/uploads/${song}`, { title: 'Rain on Rooftops', artist: 'Mira Sol' });
    const playlistID = await create('/playlists', { streamID: another.id, kind: 'audio', mode: 'sequential' });
    await call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'add', uploadID: song }] });
    await another.schedule(3600);
    await another.work();
    expect(another.platform.open()).toMatchObject([{ draft: { title: 'Now: Mira Sol – Rain on Rooftops' } }]);
  });

  it('has a broadcast prepared for its schedule, live with its media, and ended by its stop', async () => {
    const managed = await managedStream();
    const { platform, id, ingestID } = managed;
    expect(await managed.mirror()).toMatchObject({ state: 'done', generation: 0 });
    await managed.schedule(3600);
    expect(await managed.mirror()).toMatchObject({ state: 'pending', generation: 1 });
    await managed.work();
    expect(await managed.mirror()).toMatchObject({ state: 'done', code: null });
    expect(platform.open()).toMatchObject([{ phase: 'prepared', boundTo: ingestID, draft: { title: 'Radio 1' } }]);
    expect(platform.calls).toEqual(['ensureIngest', 'insert', 'bind']);

    await mirrored.move(id, 'schedule_start');
    await managed.work();
    platform.fed.add(ingestID);
    await managed.workFor(20);
    expect(await managed.mirror()).toMatchObject({ state: 'done' });
    expect(platform.live()).toMatchObject([{ phase: 'live' }]);
    const [{ watchURL }] = await managed.broadcasts();
    expect(await stream(id)).toMatchObject({ watchURL });
    expect(watchURL).toContain(platform.live()[0]!.id);
    // The broadcast has started by itself.
    expect(platform.calls).not.toContain('goLive');
    expect(await managed.broadcasts()).toMatchObject([
      { n: 1, phase: 'live', title: 'Radio 1', health: { state: 'good', issues: [] }, viewers: null },
    ]);

    await managed.stop();
    await managed.work();
    expect(platform.made).toMatchObject([{ phase: 'ended' }]);
    expect(await managed.broadcasts()).toMatchObject([{ phase: 'ended', endedAt: expect.any(String) }]);
    expect((await stream(id)).watchURL).toBeNull();
  });

  it('is taken live by hand when it is started by hand, and keeps an address of its own', async () => {
    const managed = await managedStream();
    await managed.start();
    managed.platform.fed.add(managed.ingestID);
    await managed.workFor(30);
    expect(managed.platform.live()).toHaveLength(1);
    expect(managed.platform.calls).toContain('goLive');
    const { rows } = await service.pool().query('select * from platform_ingests where stream_id = $1', [managed.id]);
    expect(mirrored.sealer.open(rows[0].sealed_key, `ingest/${managed.id}`)).toBe(`key of ${managed.id}`);
    const commands = await service.pool().query(`select body from outbox where queue = 'publish-ffmpeg'`);
    expect(commands.rows).toEqual([{ body: { streamID: managed.id } }]);
  });

  it('is deleted there when its schedule is cancelled, or when it is deleted here', async () => {
    const cancelled = await managedStream();
    await cancelled.schedule(3600);
    await cancelled.work();
    await call('DELETE', `/streams/${cancelled.id}/schedule`);
    await cancelled.work();
    expect(cancelled.platform.made).toMatchObject([{ phase: 'deleted' }]);

    const deleted = await managedStream();
    await deleted.schedule(3600);
    await deleted.work();
    expect((await call('DELETE', `/streams/${deleted.id}`)).status).toBe(204);
    expect((await call('GET', `/streams/${deleted.id}`)).status).toBe(404);
    await deleted.work();
    expect(deleted.platform.made).toMatchObject([{ phase: 'deleted' }]);
    const { rows } = await service.pool().query('select from streams where id = $1', [deleted.id]);
    expect(rows).toEqual([]);
  });

  it('is moved with its schedule, and called what its settings say', async () => {
    const managed = await managedStream();
    await managed.schedule(3600);
    await managed.work();
    const scheduleStartAt = inFuture(7200);
    await call('PATCH', `/streams/${managed.id}`, { scheduleStartAt });
    await call('PATCH', `/managed-settings/${managed.settingsID}`, { titleTemplate: 'Day radio' });
    await managed.work();
    const { draft } = managed.platform.open()[0]!;
    expect(draft.title).toBe('Day radio');
    expect(Math.trunc(+draft.scheduledStartAt / 1000)).toBe(Math.trunc(Date.parse(scheduleStartAt) / 1000));
  });

  it('has the picture of its settings, and another one when they name another', async () => {
    const managed = await managedStream();
    const pictures = await Promise.all([upload(), upload()]);
    await service.pool().query(`update uploads set mime_type = 'image/png'`);
    const sent: string[] = [];
    const objects = { read: async (key: string) => (sent.push(key), Readable.from(['a picture'])) };
    const options = mirrored.options({ youtube: managed.platform }, { objects });
    await managed.start();
    managed.platform.fed.add(managed.ingestID);
    await mirrored.workFor(30, managed.connectionID, options);
    expect(managed.platform.open()).toMatchObject([{ phase: 'live', hasThumbnail: false }]);
    for (const thumbnailUploadID of pictures) {
      await call('PATCH', `/managed-settings/${managed.settingsID}`, { thumbnailUploadID });
      await mirrored.workFor(30, managed.connectionID, options);
    }
    await call('PATCH', `/managed-settings/${managed.settingsID}`, { titleTemplate: 'Day radio' });
    await mirrored.workFor(30, managed.connectionID, options);
    expect(managed.platform.open()).toMatchObject([{ hasThumbnail: true, draft: { title: 'Day radio' } }]);
    const keys = await Promise.all(pictures.map((id) => objectKeyOf(service, id)));
    expect(sent).toEqual(keys);
  });

  it('is left by the channel that it goes by no more', async () => {
    const managed = await managedStream();
    await managed.schedule(3600);
    await managed.work();
    const other = await mirrored.channel(user());
    await call('PATCH', `/streams/${managed.id}`, { managedSettingsID: other.settingsID });
    await managed.work();
    expect(managed.platform.made).toMatchObject([{ phase: 'deleted' }]);
    await mirrored.work(other.connectionID, mirrored.options({ youtube: other.platform }));
    expect(other.platform.open()).toHaveLength(1);
    expect(await managed.mirror()).toMatchObject({ state: 'done' });
  });

  it('says that its settings are gone', async () => {
    const managed = await managedStream();
    await managed.schedule(3600);
    await managed.work();
    expect((await call('DELETE', `/managed-settings/${managed.settingsID}`)).status).toBe(204);
    await managed.work();
    expect(managed.platform.made).toMatchObject([{ phase: 'deleted' }]);
    expect(await managed.mirror()).toMatchObject({ state: 'blocked', code: 'settings_missing' });
  });

  it('has another broadcast where somebody ends its own there', async () => {
    const managed = await managedStream();
    await managed.start();
    managed.platform.fed.add(managed.ingestID);
    await managed.workFor(30);
    managed.platform.endThere(managed.platform.live()[0]!.id);
    await managed.retry();
    await managed.work();
    expect(await managed.mirror()).toMatchObject({ state: 'pending', code: 'ended_there' });
    await managed.workFor(60);
    expect(managed.platform.made).toMatchObject([{ phase: 'ended' }, { phase: 'live' }]);
    expect(managed.platform.live()[0]!.draft.title).toBe('Radio 2');
  });

  it('is worked by the handler of the queue, and by one worker at a time', async () => {
    const managed = await managedStream();
    await managed.schedule(3600);
    const handler = createPlatformsHandler(managed.options);
    const body = JSON.stringify({ connectionID: managed.connectionID });
    const handle = () => handler({ Records: [{ messageId: '1', body }] } as Parameters<typeof handler>[0]);
    const answers = await Promise.all([handle(), handle(), handle()]);
    expect(answers.flatMap(({ batchItemFailures }) => batchItemFailures)).toEqual([]);
    expect(managed.platform.made).toHaveLength(1);
  });
});

describe('retryMirror', () => {
  it('makes what is wished once the grant is given again', async () => {
    const managed = await managedStream();
    managed.platform.tokens.clear();
    await managed.start();
    managed.platform.fed.add(managed.ingestID);
    await managed.workFor(30);
    expect(await managed.mirror()).toMatchObject({
      state: 'blocked',
      code: 'grant_revoked',
      detail: expect.stringContaining('reauthorise_connection'),
      retryAt: null,
    });
    expect((await call('GET', `/connections/${managed.connectionID}`)).body.state).toBe('grant_revoked');
    const answer = await managed.retry();
    expect(answer).toMatchObject({ status: 200, body: { mirror: { state: 'pending' } } });
    await managed.work();
    expect(await managed.mirror()).toMatchObject({ state: 'blocked', code: 'grant_revoked' });

    await managed.connect();
    await managed.retry();
    await managed.workFor(30);
    expect(await managed.mirror()).toMatchObject({ state: 'done', code: null, detail: null });
    expect(managed.platform.live()).toHaveLength(1);
  });

  it('makes what is wished once the quota is reset', async () => {
    const managed = await managedStream();
    managed.platform.refuses = { code: 'quota_exhausted', reason: 'quotaExceeded' };
    await managed.start();
    await managed.work();
    const { state, code, detail, retryAt } = await managed.mirror();
    expect({ state, code }).toEqual({ state: 'pending', code: 'quota_exhausted' });
    expect(detail).toContain('Live broadcasts stay live');
    expect(Date.parse(retryAt)).toBeGreaterThan(Date.now());
    managed.platform.refuses = null;
    managed.platform.fed.add(managed.ingestID);
    await managed.retry();
    await managed.work();
    // The platform has reported that no quota is left, so no request is made before the quota resets.
    expect(await managed.mirror()).toMatchObject({ code: 'quota_exhausted' });
    mirrored.pass((Date.parse(retryAt) - mirrored.clock().getTime()) / 1000);
    await managed.retry();
    await managed.workFor(60);
    expect(await managed.mirror()).toMatchObject({ state: 'done' });
    expect(managed.platform.live()).toHaveLength(1);
  });

  it('makes what is wished once the channel is released', async () => {
    const managed = await managedStream();
    managed.platform.mostLive = 0;
    managed.platform.fed.add(managed.ingestID);
    await managed.start();
    await managed.workFor(30);
    expect(await managed.mirror()).toMatchObject({ state: 'pending', code: 'channel_busy' });
    managed.platform.mostLive = 1;
    await managed.retry();
    await managed.workFor(30);
    expect(await managed.mirror()).toMatchObject({ state: 'done' });
    expect(managed.platform.live()).toHaveLength(1);
  });

  it('makes one broadcast after an answer was lost', async () => {
    const managed = await managedStream();
    managed.platform.around = (what, when) => {
      if (what === 'insert' && when === 'after') throw new Error('the connection broke');
    };
    await managed.start();
    managed.platform.fed.add(managed.ingestID);
    await managed.work();
    expect(await managed.mirror()).toMatchObject({
      state: 'pending',
      code: 'unavailable',
      detail: expect.stringContaining('try again'),
    });
    await managed.retry();
    await managed.workFor(60);
    expect(await managed.mirror()).toMatchObject({ state: 'done' });
    expect(managed.platform.made).toMatchObject([{ phase: 'live' }]);
  });

  it('begins one generation within a minute, and is refused where there is nothing to retry', async () => {
    const managed = await managedStream();
    await managed.retry();
    await call('PATCH', `/streams/${managed.id}`, { retryMirror: true });
    expect(await managed.mirror()).toMatchObject({ state: 'pending', generation: 1 });
    const plain = await create('/streams', {});
    expect((await call('PATCH', `/streams/${plain}`, { retryMirror: true })).body.code).toBe('not_managed');
  });
});

it('follows one broadcast by another when its settings ask for that, with both live for a moment', async () => {
  const managed = await managedStream({ rotateAfterMinutes: 60 });
  const { platform, id, ingestID } = managed;
  await managed.start();
  platform.fed.add(ingestID);
  await managed.workFor(30);
  expect(await dueKinds(id)).toContain('broadcast_rotation');
  const order: string[] = [];
  platform.around = (what, when) => {
    if (when === 'after' && what !== 'observe') order.push(`${what}: ${platform.live().length} live`);
  };
  const rotate = async (minutes: number) => {
    mirrored.pass(minutes * 60);
    await fallDue(id, 'broadcast_rotation');
    await fire();
    await managed.workFor(60);
  };
  await rotate(51);
  expect(platform.open()).toMatchObject([{ phase: 'live' }, { phase: 'prepared', draft: { autoStart: false } }]);
  await rotate(10);
  expect(platform.made).toMatchObject([{ phase: 'ended' }, { phase: 'live' }]);
  expect(order).toEqual(['insert: 1 live', 'bind: 1 live', 'goLive: 2 live', 'end: 1 live']);
  expect(await managed.broadcasts()).toMatchObject([
    { n: 2, phase: 'live' },
    { n: 1, phase: 'ended' },
  ]);
});

it('counts what a call takes of the quota before it is made, and leaves the rest of it to ends', async () => {
  const managed = await managedStream();
  const options = mirrored.options({ youtube: managed.platform }, { dailyUnits: { youtube: 5000 } });
  // Other users leave 202 units within 97 %.
  await service
    .pool()
    .query(`insert into platform_quota (platform, day, used_units) values ('youtube', $1::date, 4640)`, [
      quotaDay(mirrored.clock()),
    ]);
  await managed.schedule(3600);
  await mirrored.work(managed.connectionID, options);
  // An ingest, 51; a broadcast, 50, with its end, 51; its binding, 50, within 97 %.
  expect(managed.platform.calls).toEqual(['ensureIngest', 'insert', 'bind']);
  await call('PATCH', `/managed-settings/${managed.settingsID}`, { titleTemplate: 'Day radio' });
  await mirrored.work(managed.connectionID, options);
  expect(await managed.mirror()).toMatchObject({ state: 'pending', code: 'quota_exhausted' });
  expect(managed.platform.calls).not.toContain('update');
});

describe('a project whose quota is used up', () => {
  const dailyUnits = { youtube: 1000 };
  const used = async () => (await service.pool().query('select used_units from platform_quota')).rows[0].used_units;
  const useUp = () => service.pool().query('update platform_quota set used_units = 1000');

  it('by starts ends what it has started on that day', async () => {
    const managed = await managedStream();
    const options = mirrored.options({ youtube: managed.platform }, { dailyUnits });
    await managed.schedule(3600);
    await mirrored.work(managed.connectionID, options);
    // An ingest, a broadcast with its end, and its binding.
    expect(await used()).toBe(51 + 101 + 50);
    await useUp();
    await call('DELETE', `/streams/${managed.id}/schedule`);
    await mirrored.work(managed.connectionID, options);
    expect(managed.platform.made).toMatchObject([{ phase: 'deleted' }]);
    expect(await managed.mirror()).toMatchObject({ state: 'done' });
    expect(await used()).toBe(1000);
  });

  it('gets back what an end did not take, as somebody else ended it', async () => {
    const managed = await managedStream();
    const options = mirrored.options({ youtube: managed.platform }, { dailyUnits: { youtube: 2000 } });
    await managed.schedule(3600);
    await mirrored.work(managed.connectionID, options);
    const before = await used();
    managed.platform.endThere(managed.platform.open()[0]!.id);
    await managed.retry();
    await mirrored.work(managed.connectionID, options);
    // A check, and another broadcast with its binding in place of the first.
    expect(await used()).toBe(before + 2 - 51 + 101 + 50);
  });

  it('has a part for each user, who leaves the calls of the others alone', async () => {
    const options = (platform: typeof managed.platform) => mirrored.options({ youtube: platform }, { dailyUnits });
    const managed = await managedStream();
    await managed.schedule(3600);
    await mirrored.work(managed.connectionID, options(managed.platform));
    for (let change = 0; change < 5; change += 1) {
      await call('PATCH', `/managed-settings/${managed.settingsID}`, { titleTemplate: `Radio ${change}` });
      await mirrored.work(managed.connectionID, options(managed.platform));
    }
    expect(managed.platform.calls.filter((made) => made === 'update')).toEqual([]);
    expect(await managed.mirror()).toMatchObject({ state: 'pending', code: 'quota_share_used' });

    const other = await service.user();
    const channel = await mirrored.channel(other);
    const { body } = await other.call('POST', '/streams', {
      streamDestination: 'managed',
      managedSettingsID: channel.settingsID,
    });
    await mirrored.move(body.id, 'start');
    await mirrored.work(channel.connectionID, options(channel.platform));
    expect(channel.platform.open()).toHaveLength(1);
    // An end is carried out, however much its user has used.
    await call('DELETE', `/streams/${managed.id}/schedule`);
    await mirrored.work(managed.connectionID, options(managed.platform));
    expect(managed.platform.made).toMatchObject([{ phase: 'deleted' }]);
    mirrored.pass(24 * 3600);
    await managed.schedule(2 * 24 * 3600);
    await mirrored.work(managed.connectionID, options(managed.platform));
    expect(await managed.mirror()).toMatchObject({ state: 'done' });
  });

  describe('for users without a purchase', () => {
    const begunOn = async (owner: TestUser, channel: Awaited<ReturnType<typeof mirrored.channel>>) => {
      const options = mirrored.options({ youtube: channel.platform }, { dailyUnits: { youtube: 5000 } });
      const settings = { streamDestination: 'managed', managedSettingsID: channel.settingsID };
      const { id } = (await owner.call('POST', '/streams', settings)).body;
      await mirrored.move(id, 'start');
      await mirrored.work(channel.connectionID, options);
      return { id, ...channel, options };
    };
    const begun = async (owner: TestUser) => begunOn(owner, await mirrored.channel(owner));
    const free = async () => {
      const owner = await service.user();
      await service.pool().query(`update invoices set type = 'free_credits' where user_id = $1`, [owner.id]);
      return owner;
    };
    const begins = async (owner: TestUser) => (await begun(owner)).platform.open().length;

    it('has a part for all of them together, who leave the rest to users who pay', async () => {
      // Others of them have used all but 300 of the 1500 units for starts.
      await service.pool().query(
        `insert into platform_quota (platform, day, used_units, unfunded_units)
         values ('youtube', $1::date, 1200, 1200)`,
        [quotaDay(mirrored.clock())],
      );
      expect(await begins(await free())).toBe(1);
      const late = await free();
      const refused = await begun(late);
      expect(refused.platform.open()).toEqual([]);
      expect((await late.call('GET', `/streams/${refused.id}`)).body.mirror).toMatchObject({
        state: 'pending',
        code: 'quota_unfunded_used',
      });
      expect(await begins(await free())).toBe(0);
      expect(await begins(await service.user())).toBe(1);
      // Credits from a purchase lift the bound at once, and a refund brings it back.
      await service.pool().query(`update invoices set type = 'credit_purchase' where user_id = $1`, [late.id]);
      await late.call('PATCH', `/streams/${refused.id}`, { retryMirror: true });
      await mirrored.work(refused.connectionID, refused.options);
      expect(refused.platform.open()).toHaveLength(1);
      const refunded = await service.user();
      await service
        .pool()
        .query(`update invoices set state = 'refunded', remaining_credits = 0 where user_id = $1`, [refunded.id]);
      expect(await begins(refunded)).toBe(0);
    });

    it('has a fifth of that part for each of them, but carries out every end', async () => {
      const owner = await free();
      const channel = await mirrored.channel(owner);
      const first = await begunOn(owner, channel);
      expect(channel.platform.open()).toHaveLength(1);
      const second = await begunOn(owner, channel);
      expect(channel.platform.open()).toHaveLength(1);
      const { mirror } = (await owner.call('GET', `/streams/${second.id}`)).body;
      expect(mirror).toMatchObject({ state: 'pending', code: 'quota_share_used' });
      expect(await begins(await free())).toBe(1);
      await mirrored.move(first.id, 'stop');
      await mirrored.work(channel.connectionID, first.options);
      expect(channel.platform.open()).toEqual([]);
    });
  });

  it('begins nothing with what the ends of days before may take, and says until when', async () => {
    const managed = await managedStream();
    const options = mirrored.options({ youtube: managed.platform }, { dailyUnits });
    await managed.schedule(3600);
    await mirrored.work(managed.connectionID, options);
    await service.pool().query(`update broadcasts set reserved_day = '2000-01-01'`);
    const other = await create('/streams', { streamDestination: 'managed', managedSettingsID: managed.settingsID });
    // 960 units for starts, 51 of them for an end: an ingest, a broadcast with its end, and nothing is left.
    await service.pool().query('update platform_quota set used_units = 960 - 51 - 51 - 101 + 1');
    await service.pool().query('truncate platform_quota_shares');
    await mirrored.move(other, 'start');
    await mirrored.work(managed.connectionID, options);
    expect(managed.platform.open()).toHaveLength(1);
    const { code, retryAt } = (await stream(other)).mirror;
    expect(code).toBe('quota_exhausted');
    const { body } = await call('GET', `/connections/${managed.connectionID}`);
    expect(body.quota.exhaustedUntil).toBe(retryAt);
    const { issues } = (await call('GET', `/streams/${other}/readiness`)).body;
    expect(issues).toContainEqual(expect.objectContaining({ code: 'quota_exhausted' }));
  });
});

it('says in SQL of each state what the domain says', async () => {
  const { rows } = await service
    .pool()
    .query('select state, wish_of_state(state) as wish from unnest($1::text[]) as state', [streamStates]);
  expect(Object.fromEntries(rows.map((row) => [row.state, row.wish]))).toEqual(wishOfState);
});

it('tries again by itself when another stream of ours on the channel ends', async () => {
  const first = await managedStream();
  const second = await create('/streams', { streamDestination: 'managed', managedSettingsID: first.settingsID });
  first.platform.mostLive = 1;
  first.platform.fed.add(first.ingestID).add(`ingest of ${second}`);
  await first.start();
  await first.workFor(30);
  await mirrored.move(second, 'start');
  await first.workFor(30);
  expect((await stream(second)).mirror).toMatchObject({ code: 'channel_busy' });
  await first.stop();
  await first.workFor(30);
  expect((await stream(second)).mirror).toMatchObject({ state: 'done' });
  expect(first.platform.live()).toMatchObject([{ boundTo: `ingest of ${second}` }]);
});
