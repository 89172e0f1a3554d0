// YouTube's adapter through the life of a broadcast, against a stand-in that follows YouTube's documentation.
import { beforeEach, describe, expect, it } from 'vitest';
import type { BroadcastDraft, Ingest, InsertedBroadcast } from '../../../lambda/ports/managed-platforms/broadcasts.ts';
import { PlatformRefusal } from '../../../lambda/ports/managed-platforms/managed-platform.ts';
import type { AdminAction } from '../../../bin/local/youtube/admin.ts';
import { youtubeOfTest } from '../../support/youtube.ts';

const youtube = youtubeOfTest();
let access: string;
let ingest: Ingest;

const broadcasts = () => youtube.platform.broadcasts!;
const png = { mimeType: 'image/png', bytes: Buffer.from('89504e470d0a1a0a00000000', 'hex') } as const;

beforeEach(async () => {
  ({ accessToken: access } = await youtube.consent());
  ingest = await youtube.platform.ensureIngest(access, {
    label: 'Night radio',
    heldID: null,
    accountID: 'UC-local-loops',
  });
});

function draft(changes: Partial<BroadcastDraft> = {}): BroadcastDraft {
  return {
    title: 'Night radio, 22 November',
    description: 'All night.',
    scheduledStartAt: new Date(Math.ceil(youtube.clock().getTime() / 1000) * 1000 + 60_000),
    privacy: 'unlisted',
    categoryID: '10',
    tags: [],
    madeForKids: false,
    latency: 'normal',
    dvr: true,
    autoStart: true,
    ...changes,
  };
}

async function prepare(changes: Partial<BroadcastDraft> = {}): Promise<InsertedBroadcast> {
  const inserted = await broadcasts().insert(access, draft(changes));
  await broadcasts().bind(access, inserted.externalID, ingest.externalID!);
  return inserted;
}

async function live(): Promise<InsertedBroadcast> {
  const inserted = await prepare();
  youtube.publish(ingest.key);
  youtube.pass(10);
  await observe(inserted);
  return inserted;
}

const observe = async ({ externalID }: InsertedBroadcast) => (await broadcasts().observe(access, [externalID]))[0];
const breakNext = (method: string, kind: string) => youtube.admin({ action: 'fault', method, kind });

describe('an ingest', () => {
  it('is made once for a label, and read again by its id', async () => {
    expect(ingest).toMatchObject({
      url: 'rtmp://127.0.0.1:1935/live2',
      backupURL: 'rtmp://127.0.0.1:1935/live2?backup=1',
    });
    const accountID = 'UC-local-loops';
    for (const heldID of [ingest.externalID, null, 'gone'])
      expect(await youtube.platform.ensureIngest(access, { label: 'Night radio', heldID, accountID })).toEqual(ingest);
    const other = await youtube.platform.ensureIngest(access, { label: 'Other', heldID: null, accountID });
    expect(other.key).not.toBe(ingest.key);
    expect((await youtube.shown()).streams).toHaveLength(2);
  });

  it('whose making was not answered is found by its label', async () => {
    await breakNext('liveStreams.insert', 'lost_answer');
    const request = { label: 'Lost', heldID: null, accountID: 'UC-local-loops' };
    const lost = youtube.platform.ensureIngest(access, request);
    await expect(lost).rejects.toMatchObject({ code: 'unavailable', outcome: 'uncertain' });
    await youtube.platform.ensureIngest(access, request);
    expect((await youtube.shown()).streams.filter(({ title }) => title === 'Lost')).toHaveLength(1);
  });
});

describe('a broadcast', () => {
  it('is prepared, goes live by itself when media come, and is completed', async () => {
    const inserted = await prepare();
    expect(inserted.watchURL).toBe(`https://www.youtube.com/watch?v=${inserted.externalID}`);
    const none = { state: 'no_data', issues: [] };
    expect(await observe(inserted)).toMatchObject({ phase: 'prepared', ingest: 'inactive', health: none });
    youtube.publish(ingest.key);
    youtube.pass(4);
    expect(await observe(inserted)).toMatchObject({ phase: 'starting', ingest: 'active' });
    youtube.pass(4);
    expect(await observe(inserted)).toMatchObject({ phase: 'live', health: { state: 'good', issues: [] } });
    const audience = await youtube.platform.audience(access, [inserted.externalID, 'unknown']);
    expect([...audience.keys()]).toEqual([inserted.externalID]);
    expect(audience.get(inserted.externalID)).toMatchObject({ live: true, viewers: expect.any(Number) });
    await broadcasts().end(access, inserted.externalID, 'live');
    expect(await observe(inserted)).toMatchObject({ phase: 'ended' });
    await broadcasts().end(access, inserted.externalID, 'live');
    const after = await youtube.platform.audience(access, [inserted.externalID]);
    expect(after.get(inserted.externalID)).toEqual({ live: false, viewers: null });
  });

  it('goes live by a call where it does not by itself, once media come', async () => {
    const inserted = await prepare({ autoStart: false });
    expect(await broadcasts().goLive(access, inserted.externalID)).toBe('waiting');
    youtube.publish(ingest.key);
    expect(await broadcasts().goLive(access, inserted.externalID)).toBe('starting');
    expect(await broadcasts().goLive(access, inserted.externalID)).toBe('live');
    youtube.pass(6);
    expect(await observe(inserted)).toMatchObject({ phase: 'live' });
    await broadcasts().end(access, inserted.externalID, 'starting');
    expect(await observe(inserted)).toMatchObject({ phase: 'ended' });
    await expect(broadcasts().goLive(access, inserted.externalID)).rejects.toMatchObject({
      code: 'rejected',
      reason: 'invalidTransition',
    });
  });

  it('that was never live is deleted at its end, and one that is live meanwhile is completed', async () => {
    const never = await prepare();
    await broadcasts().end(access, never.externalID, 'prepared');
    expect(await broadcasts().observe(access, [never.externalID])).toEqual([]);
    await broadcasts().end(access, never.externalID, 'prepared');
    const meanwhile = await live();
    await broadcasts().end(access, meanwhile.externalID, 'prepared');
    expect(await observe(meanwhile)).toMatchObject({ phase: 'ended' });
  });

  it('that is stuck on its way to be live is deleted at its end', async () => {
    const inserted = await prepare({ autoStart: false });
    youtube.publish(ingest.key);
    await breakNext('liveBroadcasts.transition', 'stuck');
    expect(await broadcasts().goLive(access, inserted.externalID)).toBe('starting');
    youtube.pass(600);
    expect(await observe(inserted)).toMatchObject({ phase: 'starting' });
    await broadcasts().end(access, inserted.externalID, 'starting');
    expect(await observe(inserted)).toBeUndefined();
  });

  it('is changed as far as its phase allows', async () => {
    const prepared = await prepare();
    const moved = { title: 'Moved', scheduledStartAt: new Date(youtube.clock().getTime() + 3_600_000) };
    await broadcasts().update(access, prepared.externalID, draft({ ...moved, autoStart: false }), 'prepared');
    youtube.publish(ingest.key);
    youtube.pass(10);
    expect(await observe(prepared)).toMatchObject({ phase: 'prepared' });
    await broadcasts().goLive(access, prepared.externalID);
    youtube.pass(10);
    const now = draft({ ...moved, title: 'Now live', privacy: 'public', tags: ['night', 'radio'] });
    await broadcasts().update(access, prepared.externalID, now, 'live');
    const [shown] = (await youtube.shown()).broadcasts;
    expect(shown).toMatchObject({
      title: 'Now live',
      privacyStatus: 'public',
      tags: ['night', 'radio'],
      lifeCycle: 'live',
    });
    await expect(broadcasts().update(access, prepared.externalID, now, 'prepared')).rejects.toMatchObject({
      code: 'rejected',
    });
  });

  it('gets its thumbnail once YouTube has its video', async () => {
    const { externalID } = await prepare();
    const early = broadcasts().setThumbnail(access, externalID, png);
    await expect(early).rejects.toMatchObject({ code: 'unavailable', reason: 'videoNotFound' });
    youtube.pass(5);
    await broadcasts().setThumbnail(access, externalID, png);
    expect((await youtube.shown()).broadcasts[0]).toMatchObject({ hasThumbnail: true });
    const text = { mimeType: 'image/png', bytes: Buffer.from('no image') } as const;
    const invalid = broadcasts().setThumbnail(access, externalID, text);
    await expect(invalid).rejects.toMatchObject({ code: 'rejected', reason: 'invalidImage' });
  });

  it('whose making was not answered is found, however many others there are', async () => {
    for (let n = 0; n < 60; n++) await broadcasts().insert(access, draft({ title: `Other ${n}` }));
    const lost = draft({ title: 'Lost' });
    await breakNext('liveBroadcasts.insert', 'lost_answer');
    await expect(broadcasts().insert(access, lost)).rejects.toMatchObject({ outcome: 'uncertain' });
    const found = await broadcasts().find(access, lost);
    expect(found).toHaveLength(1);
    await broadcasts().bind(access, found[0]!.externalID, ingest.externalID!);
    youtube.publish(ingest.key);
    youtube.pass(10);
    expect(await broadcasts().find(access, lost)).toEqual(found);
    await broadcasts().end(access, found[0]!.externalID, 'live');
    expect(await broadcasts().find(access, lost)).toEqual([]);
    const later = new Date(lost.scheduledStartAt.getTime() + 1000);
    expect(await broadcasts().find(access, { ...lost, title: 'Other 3', scheduledStartAt: later })).toEqual([]);
  });

  it('is looked at without an answer that could have a stream key in it', async () => {
    const inserted = await live();
    youtube.seen.length = 0;
    await observe(inserted);
    await youtube.platform.audience(access, [inserted.externalID]);
    await broadcasts().end(access, inserted.externalID, 'live');
    expect(youtube.seen).toHaveLength(4);
    const parts = youtube.seen.flatMap(({ query }) => query.getAll('part').flatMap((part) => part.split(',')));
    expect(parts).not.toContain('cdn');
    expect(youtube.seen.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('goes on, whatever becomes of its ingest', async () => {
    const inserted = await live();
    youtube.unpublish();
    youtube.pass(7200);
    ({ accessToken: access } = await youtube.consent());
    const gone = { phase: 'live', ingest: 'inactive', health: { state: 'no_data' } };
    expect(await observe(inserted)).toMatchObject(gone);
    youtube.publish(ingest.key, { audioFrames: 0, keyframeIntervalMs: 10_000 });
    const health = { state: 'bad', issues: [{ type: 'noAudioStream', severity: 'error' }, { type: 'gopSizeLong' }] };
    expect(await observe(inserted)).toMatchObject({ ingest: 'inactive', health });
  });
});

describe('a refusal', () => {
  it.each<[string, AdminAction, PlatformRefusal['code']]>([
    ['of a grant that was revoked', { action: 'revoke' }, 'grant_revoked'],
    ['of a project whose day is used up', { action: 'exhaust' }, 'quota_exhausted'],
    ['of a channel without live streaming', { action: 'disable_live' }, 'live_not_enabled'],
    ['of a channel that is too much', { action: 'fault', kind: 'userBroadcastsExceedLimit' }, 'channel_busy'],
    ['of requests that are too many', { action: 'fault', kind: 'userRequestsExceedRateLimit' }, 'rate_limited'],
    ['of a server in trouble', { action: 'fault', kind: 'backendError' }, 'unavailable'],
    ['with a reason that nobody knows', { action: 'fault', kind: 'newReason' }, 'rejected'],
  ])('%s says what has to happen', async (_case, action, code) => {
    await youtube.admin(action);
    const refused = broadcasts().insert(access, draft());
    const outcome = code === 'unavailable' ? 'uncertain' : 'rejected';
    await expect(refused).rejects.toMatchObject({ code, outcome });
    expect((await youtube.shown()).broadcasts).toEqual([]);
  });

  it('of a channel that is occupied changes nothing, and ends with it', async () => {
    const { externalID } = await prepare();
    await youtube.admin({ action: 'occupy' });
    youtube.publish(ingest.key);
    youtube.pass(60);
    const refused = broadcasts().goLive(access, externalID);
    await expect(refused).rejects.toMatchObject({ code: 'channel_busy', reason: 'concurrentBroadcastsExceedLimit' });
    expect(await observe({ externalID, watchURL: '' })).toMatchObject({ phase: 'prepared' });
    await youtube.admin({ action: 'release' });
    youtube.pass(10);
    expect(await observe({ externalID, watchURL: '' })).toMatchObject({ phase: 'live' });
  });

  it('of a fourth broadcast on an ingest is the same', async () => {
    const all = await Promise.all([1, 2, 3, 4].map((n) => prepare({ title: `Number ${n}`, autoStart: false })));
    youtube.publish(ingest.key);
    const ends = await Promise.allSettled(all.map(({ externalID }) => broadcasts().goLive(access, externalID)));
    const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [(end.reason as PlatformRefusal).reason] : []));
    expect(refusals).toEqual(['sharedIngestionBroadcastsExceedLimit']);
  });

  it('of a used quota ends at midnight in California', async () => {
    await youtube.admin({ action: 'exhaust' });
    await expect(youtube.platform.channel(access)).rejects.toMatchObject({ code: 'quota_exhausted' });
    youtube.pass(25 * 3600);
    ({ accessToken: access } = await youtube.consent());
    await youtube.platform.channel(access);
  });

  it('tells neither keys nor tokens', async () => {
    await youtube.admin({ action: 'fault', kind: 'lost_answer', times: 20 });
    const failing: readonly (() => Promise<unknown>)[] = [
      () => broadcasts().insert(access, draft()),
      () => youtube.platform.ensureIngest(access, { label: 'x', heldID: ingest.externalID, accountID: '' }),
      () => youtube.platform.channel('a token of nobody that is a secret'),
    ];
    for (const fail of failing) {
      const error = (await fail().catch((thrown: unknown) => thrown)) as Error;
      expect(error).toBeInstanceOf(PlatformRefusal);
      const words = JSON.stringify([error, error.message, error.stack, String(error.cause)]);
      for (const secret of [access, ingest.key, 'a token of nobody']) expect(words).not.toContain(secret);
    }
  });
});

describe('the quota', () => {
  it('is what the adapter says of each call, for a start and a stop', async () => {
    const { units } = youtube.platform;
    const used = async () => (await youtube.shown()).quota.used;
    const costs: [string, number, number][] = [];
    const measure = async (name: keyof typeof units, call: () => Promise<unknown>) => {
      const before = await used();
      await call();
      costs.push([name, (await used()) - before, units[name]]);
    };
    let id = '';
    await measure('ensureIngest', async () => {
      ingest = await youtube.platform.ensureIngest(access, { label: 'New', heldID: null, accountID: '' });
    });
    await measure('insert', async () => ({ externalID: id } = await broadcasts().insert(access, draft())));
    await measure('find', () => broadcasts().find(access, draft()));
    await measure('bind', () => broadcasts().bind(access, id, ingest.externalID!));
    await measure('update', () => broadcasts().update(access, id, draft(), 'prepared'));
    youtube.publish(ingest.key);
    await measure('goLive', () => broadcasts().goLive(access, id));
    youtube.pass(10);
    await measure('thumbnail', () => broadcasts().setThumbnail(access, id, png));
    await measure('observe', () => broadcasts().observe(access, [id]));
    await measure('audience', () => youtube.platform.audience(access, [id]));
    await measure('end', () => broadcasts().end(access, id, 'prepared'));
    for (const [name, measured, said] of costs) expect([name, measured]).toEqual([name, said]);
  });
});
