// An upload played next on the air: between items of a list, which then continues from its place, in either mode.
import { beforeEach, describe, expect, it } from 'vitest';
import { cutsItems, occurrencesFrom } from '../../lambda/domain/playout/play-out.ts';
import { publishDraft } from '../../lambda/orchestration/playout/publish-draft.ts';
import { finishPreparation } from '../../lambda/orchestration/runs/start-prepared.ts';
import { formatNamed } from '../../lambda/domain/playout/rendition.ts';
import { actorsOn } from '../support/actors.ts';
import { capacityFor } from '../support/capacities.ts';
import { testService } from '../support/service.ts';
import { clearRenditions } from '../support/stored-uploads.ts';

const service = testService();
const { call, claim, data, readyStream, register, report, transaction, upload } = actorsOn(service);
const fps = 30;
const titles = ['a', 'b', 'c', 'd', 'e', 'f'];

let streamID: string;
let playlistID: string;
/** The names of uploads by their ids. */
let names: Map<string, string>;

const named = async (name: string, seconds = 4) => {
  const id = await upload({ durationSeconds: seconds });
  await data().uploads.recordContentHash(id, `content of ${name}`);
  names.set(id, name);
  return id;
};
const operate = (...operations: object[]) => call('POST', `/playlists/${playlistID}/operations`, { operations });
const makeList = async (mode: string, more: object = {}, kind = 'video', seconds = 4) => {
  names = new Map();
  streamID = await readyStream({ videoUploadObjectID: null, quality: 'q_720p', framerate: 'f_30', ...more });
  playlistID = (await call('POST', '/playlists', { streamID, kind, mode })).body.id;
  for (const title of titles) await operate({ op: 'add', uploadID: await named(title, seconds) });
};
/** Puts the stream on the air, `seconds` ago. */
async function goLive(seconds = 0): Promise<void> {
  await call('POST', `/streams/${streamID}/start`);
  await register('agent');
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  await passes(seconds);
}
const passes = (seconds: number) =>
  service
    .pool()
    .query('update streams set anchored_at = anchored_at - make_interval(secs => $2) where id = $1', [
      streamID,
      seconds,
    ]);
const publish = async () => {
  await call('POST', `/playlists/${playlistID}/publish`);
  const request = (await data().playlists.findAny(playlistID))!.publish_request;
  const options = { now: await data().now(), random: () => 0.5, limitFactor: 100 };
  await transaction((tx) => publishDraft(tx, playlistID, request, options));
};
const playNext = (uploadID: string, more: object = {}) =>
  call('POST', `/streams/${streamID}/play-next`, { uploadID, ...more });
/** The first rows of the run: their names, and the seconds at which they begin. */
async function rows(count: number, fromSeconds = 0): Promise<{ name: string; at: number; seconds: number }[]> {
  const { video } = await data().timelines.ofStream(streamID);
  return occurrencesFrom(video, fromSeconds * fps, fps)
    .take(count)
    .map(({ item, startFrame, frameCount }) => {
      return { name: names.get(item.uploadID)!, at: startFrame / fps, seconds: frameCount / fps };
    })
    .toArray();
}
const order = async (count: number) => (await rows(count)).map(({ name }) => name).join('');
const skip = async (name: string) => {
  const { data: shown } = (await call('GET', `/streams/${streamID}/timeline`)).body;
  const { startAt, uploadID } = shown.find((row: { uploadID: string }) => names.get(row.uploadID) === name);
  return call('POST', `/streams/${streamID}/skip`, { startAt, uploadID });
};

describe('an upload that is played next in a sequence', () => {
  beforeEach(() => makeList('sequential'));

  it('plays once after the item that plays in 10 seconds, whole, and the list continues behind it', async () => {
    await goLive(1);
    const { status, body } = await playNext(await named('X', 7));
    expect(status).toBe(202);
    expect(await order(12)).toBe('abcXdefabcde');
    expect((await rows(12)).map(({ at }) => at)).toEqual([0, 4, 8, 12, 19, 23, 27, 31, 35, 39, 43, 47]);
    const { anchored_at: anchoredAt } = (await data().streams.lockAny(streamID))!;
    expect(Date.parse(body.startsAt) - anchoredAt!.getTime()).toBe(12_000);
  });

  it('is refused on a track that the stream does not have', async () => {
    await goLive(1);
    const { status, body } = await playNext(await named('X'), { track: 'audio' });
    expect([status, body.errors?.[0]?.path]).toEqual([422, '/track']);
  });

  it('plays behind the ones that were queued before, however late it comes', async () => {
    await goLive(1);
    for (const name of ['X', 'Y']) await playNext(await named(name));
    expect(await order(9)).toBe('abcXYdefa');
    await passes(5);
    await playNext(await named('Z'));
    expect(await order(9)).toBe('abcXYZdef');
    // X plays, and in ten seconds Z does.
    await passes(6.5);
    await playNext(await named('W'));
    expect(await order(10)).toBe('abcXYZWdef');
  });

  it('stays where it is if the list is published meanwhile', async () => {
    await goLive(1);
    for (const name of ['X', 'Y']) await playNext(await named(name));
    await operate({ op: 'add', uploadID: await named('g') });
    await publish();
    expect(await order(10)).toBe('abcXYdefga');
    await playNext(await named('Z'));
    expect(await order(10)).toBe('abcXYZdefg');
  });

  it('can be skipped alone, and moves up if an item before it is skipped', async () => {
    await goLive(1);
    for (const name of ['X', 'Y']) await playNext(await named(name));
    expect((await skip('X')).status).toBe(202);
    expect(await order(8)).toBe('abcYdefa');
    await playNext(await named('Z'));
    expect(await order(8)).toBe('abcYZdef');
    // c would end at 12 s, and ends at 11 s at the earliest.
    expect((await skip('c')).status).toBe(202);
    expect(await order(8)).toBe('abcYZdef');
    const [, , c, y, z, d] = await rows(6);
    expect([c!.seconds < 4, y!.seconds, z!.seconds, d!.seconds]).toEqual([true, 4, 4, 4]);
  });

  it('is refused beyond ten, with the advice, and after the first has begun there is room again', async () => {
    await goLive(1);
    for (let count = 0; count < 10; count++) expect((await playNext(await named(`${count}`))).status).toBe(202);
    const { status, body } = await playNext(await named('X'));
    expect([status, body.code, body.limit]).toEqual([422, 'limit_reached', 'queuedItems']);
    await passes(12);
    expect((await playNext(await named('X'))).status).toBe(202);
    expect(await order(15)).toBe('abc0123456789Xd');
  });
});

describe('an upload that is played next with crossfades', () => {
  it('is joined to the items before and behind it, and no item is cut off', async () => {
    await makeList('sequential', { look: { join: { kind: 'crossfade', seconds: 1 } } }, 'video', 6);
    await goLive(1);
    await playNext(await named('X', 7));
    const { video } = await data().timelines.ofStream(streamID);
    const shown = occurrencesFrom(video, 0, fps).take(7).toArray();
    expect(shown.map(({ item }) => names.get(item.uploadID)).join('')).toBe('abcXdef');
    expect(shown.map(({ item }) => item.join?.kind)).toEqual(Array(7).fill('crossfade'));
    expect(shown.map(({ frameCount }) => frameCount / fps)).toEqual([5, 5, 5, 6, 5, 5, 5]);
    expect(cutsItems(video, fps)).toBe(false);
  });
});

describe('a song that is played next over a picture', () => {
  it('is one of the songs, which stay the rows of the timeline while it plays', async () => {
    await makeList('sequential', {}, 'audio');
    await call('PATCH', `/streams/${streamID}`, { videoUploadObjectID: await upload({ durationSeconds: 60 }) });
    await goLive(1);
    const song = await named('X', 7);
    expect((await playNext(song)).body.startsAt).toEqual(expect.any(String));
    await passes(13);
    const { data: shown } = (await call('GET', `/streams/${streamID}/timeline`)).body;
    expect(shown.slice(0, 3).map(({ uploadID }: { uploadID: string }) => names.get(uploadID))).toEqual(['X', 'd', 'e']);
  });
});

describe('an upload that is played next in a shuffle', () => {
  beforeEach(() => makeList('shuffle'));

  it('leaves the lap whole: each item is heard once around it', async () => {
    await goLive(1);
    await playNext(await named('X'));
    const lap = (await order(7)).split('');
    expect(lap[3]).toBe('X');
    expect(lap.toSorted().join('')).toBe('Xabcdef');
  });

  it('plays between two laps', async () => {
    await goLive(11);
    expect((await playNext(await named('X'))).status).toBe(202);
    const heard = await order(13);
    expect(heard[6]).toBe('X');
    expect([heard.slice(0, 6), heard.slice(7)].map((lap) => lap.split('').toSorted().join(''))).toEqual(
      Array(2).fill('abcdef'),
    );
  });

  it('leaves the lap whole also if it comes while another one plays', async () => {
    await goLive(1);
    await playNext(await named('X', 20));
    await passes(13);
    await playNext(await named('Y'));
    const lap = (await order(8)).split('');
    expect(lap.slice(3, 5)).toEqual(['X', 'Y']);
    expect(lap.toSorted().join('')).toBe('XYabcdef');
    expect((await skip('Y')).status).toBe(202);
    expect((await order(7)).split('').toSorted().join('')).toBe('Xabcdef');
  });
});

/** Finishes all preparations that were requested. */
async function prepareAll(): Promise<void> {
  const { rows: waiting } = await service
    .pool()
    .query(`select content_hash, format from renditions where state = 'preparing'`);
  for (const { content_hash: content, format } of waiting) {
    await data().renditions.begin(content, formatNamed(format), 1);
    await data().renditions.finishSegment(content, format, 0);
    await finishPreparation(service.pool(), content, formatNamed(format));
  }
}

describe('skips of later rows', () => {
  it('are refused beyond three that are ahead, as each keeps a copy of the list', async () => {
    await makeList('sequential');
    await goLive(1);
    const skipRow = async (place: number) => {
      const { data: shown } = (await call('GET', `/streams/${streamID}/timeline?limit=50`)).body;
      const { startAt, uploadID } = shown[place];
      return call('POST', `/streams/${streamID}/skip`, { startAt, uploadID });
    };
    for (const place of [8, 10, 12]) expect((await skipRow(place)).status).toBe(202);
    const { status, body } = await skipRow(14);
    expect([status, body.code, body.limit]).toEqual([422, 'limit_reached', 'listsAhead']);
    // One before them can be skipped all the same.
    expect((await skipRow(4)).status).toBe(202);
  });
});

describe('a stream that is prepared', () => {
  beforeEach(async () => {
    await clearRenditions(service);
    await makeList('sequential', { streamBackend: 'manifest' });
  });

  it('plays an upload next only once it is prepared, and prepares it if it is not', async () => {
    await call('POST', `/streams/${streamID}/start`);
    await prepareAll();
    await goLive(1);
    const other = await named('X');
    expect((await playNext(other)).body).toEqual({ startsAt: null });
    expect(await order(5)).toBe('abcde');
    expect((await playNext(other)).body).toEqual({ startsAt: null });
    await prepareAll();
    expect((await playNext(other)).body.startsAt).toEqual(expect.any(String));
    expect(await order(5)).toBe('abcXd');
  });
});

describe('an upload that no publisher can decode in time', () => {
  it('is refused, as the stream would go off the air for it', async () => {
    await makeList('sequential', { streamBackend: 'ffmpeg' });
    await goLive();
    await service
      .pool()
      .query(`update agents set capacity = $1, lease_expires_at = now() + interval '1 hour'`, [
        capacityFor(2, 'ffmpeg'),
      ]);
    const costly = await named('x');
    await service.pool().query('update uploads set decode_cost = 72 where id = $1', [costly]);
    const refused = await playNext(costly);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toMatch('No publisher can decode this upload in time.');
    await service.pool().query('update uploads set decode_cost = 4 where id = $1', [costly]);
    expect((await playNext(costly)).status).toBeLessThan(300);
  });
});
