// A stream joins its items by a stinger: prepared with both, applied while live, and never awaited.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Part } from '../../../lambda/domain/playout/composition-parts.ts';
import { formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { publishDraft } from '../../../lambda/orchestration/playout/publish-draft.ts';
import { applyProbeResult } from '../../../lambda/orchestration/playout/apply-probe-result.ts';
import { takeDown } from '../../../lambda/orchestration/media/take-down.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions } from '../../support/stored-uploads.ts';

const service = testService();
const { call, claim, create, data, readyStream, register, report, transaction, upload } = actorsOn(service);
const base = 'q_720p-f_30';

beforeEach(() => clearRenditions(service));

async function video(content: string, durationSeconds: number): Promise<string> {
  const id = await upload();
  await data().uploads.recordContentHash(id, content);
  await service.pool().query('update uploads set duration_seconds = $2 where id = $1', [id, durationSeconds]);
  return id;
}

/** A stream of two films of ten seconds; the second one may have its own join. */
async function streamOf(look: object, itemLook?: object): Promise<string> {
  const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest', videoUploadObjectID: null };
  const id = await readyStream({ ...settings, look });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  for (const content of ['one', 'two']) {
    const uploadID = await video(content, 10);
    await data().renditions.begin(content, formatNamed(base), 1);
    await data().renditions.finishSegment(content, base, 0);
    const itemID = `item_${content}`;
    const set = content === 'two' && itemLook ? [{ op: 'set', itemID, look: itemLook }] : [];
    const operations = [{ op: 'add', uploadID, itemID }, ...set];
    await call('POST', `/playlists/${playlistID}/operations`, { operations });
  }
  return id;
}

const start = (id: string) => call('POST', `/streams/${id}/start`);
const issuesOf = async (id: string) => {
  const { body } = await call('GET', `/streams/${id}/readiness`);
  return body.issues.map(({ code }: { code: string }) => code);
};
const joinsOf = async (id: string) =>
  (await data().timelines.ofStream(id)).video.at(-1)!.snapshot.items.map(({ join }) => join ?? null);
const wanted = async () =>
  (await service.pool().query(`select part, content_hashes from joins order by name`)).rows as {
    part: Part;
    content_hashes: string[];
  }[];

async function goLive(id: string): Promise<void> {
  await start(id);
  await register('agent');
  const [replica] = await claim('agent');
  await report(replica!, 'live');
}

describe('a stinger', () => {
  it('is prepared over the end of an item and the beginning of the next one, with the content of each', async () => {
    const uploadID = await video('swoosh', 2.5);
    const id = await streamOf({ join: { kind: 'stinger' }, stinger: { uploadID, cutSeconds: 0.8 } });
    expect((await call('GET', `/streams/${id}`)).body.look).toMatchObject({ stinger: { uploadID, cutSeconds: 0.8 } });
    expect(await issuesOf(id)).toEqual([]);
    await goLive(id);
    const [join] = await joinsOf(id);
    expect(join).toMatchObject({ kind: 'stinger', seconds: 0.8, stinger: { contentHash: 'swoosh', uploadID } });
    const parts = (await wanted()).map(({ part, content_hashes: hashes }) => {
      const { startFrame } = part.composition.layers.find(({ kind }) => kind === 'stinger')!;
      return `${part.firstGroup} ${startFrame} ${hashes.toSorted().join(' ')}`;
    });
    expect(parts.toSorted()).toEqual([
      '0 -24 one swoosh',
      '0 -24 swoosh two',
      '240 276 one swoosh',
      '240 276 swoosh two',
    ]);
  });

  it('is for the items that say so, and otherwise they follow as their stream says', async () => {
    const stinger = { uploadID: await video('swoosh', 2) };
    const id = await streamOf({ stinger }, { join: { kind: 'stinger' } });
    await start(id);
    expect(await joinsOf(id)).toMatchObject([null, { kind: 'stinger', seconds: 1 }]);
  });

  it('is taken up on the air once it has been examined, and left out until then', async () => {
    const uploadID = await video('swoosh', 2);
    const examined = (state: string) =>
      service.pool().query('update uploads set probe_state = $2 where id = $1', [uploadID, state]);
    await examined('pending');
    const id = await streamOf({ join: { kind: 'stinger' }, stinger: { uploadID } });
    expect(await issuesOf(id)).toEqual(['stinger_not_probed']);
    await goLive(id);
    expect(await joinsOf(id)).toEqual([null, null]);
    await examined('completed');
    await transaction((tx) => applyProbeResult(tx, uploadID, 1));
    expect(await joinsOf(id)).toMatchObject([{ kind: 'stinger' }, { kind: 'stinger' }]);
  });

  it('that is still being examined keeps no playlist from being published', async () => {
    const uploadID = await video('swoosh', 2);
    await service.pool().query(`update uploads set probe_state = 'pending' where id = $1`, [uploadID]);
    const id = await streamOf({ join: { kind: 'stinger' }, stinger: { uploadID } });
    const [playlistID] = (await call('GET', `/streams/${id}`)).body.playlistIDs;
    await call('POST', `/playlists/${playlistID}/publish`);
    const options = { now: new Date(), random: () => 0.5, limitFactor: 100 };
    await transaction((tx) => publishDraft(tx, playlistID, 1, options));
    expect((await call('GET', `/playlists/${playlistID}`)).body.publishStatus).toBe('IDLE');
  });

  it('is changed on the air, also where only its file is another one', async () => {
    const [first, second] = [await video('swoosh', 2), await video('other swoosh', 2)];
    const id = await streamOf({ join: { kind: 'stinger' }, stinger: { uploadID: first } });
    await goLive(id);
    await call('PATCH', `/streams/${id}`, { look: { join: { kind: 'stinger' }, stinger: { uploadID: second } } });
    expect(await joinsOf(id)).toMatchObject([{ stinger: { uploadID: second } }, { stinger: { uploadID: second } }]);
    await call('PATCH', `/streams/${id}`, { look: {} });
    expect(await joinsOf(id)).toEqual([null, null]);
  });

  it.each([
    ['is over before its cut', 0.7],
    ['goes on for too long after it', 3.2],
  ])('that %s is none, and readiness says so', async (_, durationSeconds) => {
    const uploadID = await video('swoosh', durationSeconds);
    const id = await streamOf({ join: { kind: 'stinger' }, stinger: { uploadID } });
    expect(await issuesOf(id)).toEqual(['stinger_unusable']);
    expect((await start(id)).body.state).toBe('activating');
    expect(await joinsOf(id)).toEqual([null, null]);
  });

  it('that nobody named is missed, and so is one that was deleted', async () => {
    const id = await streamOf({ join: { kind: 'stinger' } });
    expect(await issuesOf(id)).toEqual(['stinger_missing']);
    const uploadID = await video('swoosh', 2);
    await call('PATCH', `/streams/${id}`, { look: { join: { kind: 'stinger' }, stinger: { uploadID } } });
    expect(await issuesOf(id)).toEqual([]);
    expect((await call('GET', `/uploads/${uploadID}`)).body.usedBy).toEqual({
      playlists: 0,
      streams: 1,
      managedSettings: 0,
      clips: 0,
    });
    expect((await call('DELETE', `/uploads/${uploadID}`)).status).toBe(204);
    expect(await issuesOf(id)).toEqual(['stinger_missing']);
  });

  it('that a live stream plays is not deleted, and ends the stream where it is taken down', async () => {
    const uploadID = await video('swoosh', 2);
    const id = await streamOf({ join: { kind: 'stinger' }, stinger: { uploadID } });
    await goLive(id);
    await call('PATCH', `/streams/${id}`, { look: {} });
    const { body } = await call('DELETE', `/uploads/${uploadID}`);
    // The previous stinger may still be on air.
    expect(body.code).toBe('resource_in_use');
    await call('PATCH', `/streams/${id}`, { look: { join: { kind: 'stinger' }, stinger: { uploadID } } });
    const taken = await transaction((tx) => takeDown(tx, 'swoosh'));
    expect(taken.streamIDs).toEqual([id]);
  });

  it.each([
    [{ uploadID: 'upl_unknown' }, '/look/stinger/uploadID'],
    [{ uploadID: 'upl_unknown', cutSeconds: 2.1 }, '/look/stinger/cutSeconds'],
    [{ uploadID: 'upl_unknown', cutSeconds: 0 }, '/look/stinger/cutSeconds'],
    [{ cutSeconds: 1 }, '/look/stinger/uploadID'],
  ])('is refused with the field that is wrong: %#', async (stinger, path) => {
    const { status, body } = await call('POST', '/streams', { look: { stinger } });
    expect([status, body.errors[0].path]).toEqual([422, path]);
  });
});
