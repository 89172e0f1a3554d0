// A prepared stream's wait for media: each content is requested once, and awaited while it can still arrive.
import { beforeEach, describe, expect, it } from 'vitest';
import type { PictureFormat } from '../../../lambda/domain/playout/rendition.ts';
import type { Database } from '../../../lambda/data/database.ts';
import { formatOfRun } from '../../../lambda/data/streams/streams.ts';
import { formatName, formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { framerates, qualities, videoCodecs } from '../../../lambda/domain/shared/video-format.ts';
import { publishDraft } from '../../../lambda/orchestration/playout/publish-draft.ts';
import { requestPreparation } from '../../../lambda/orchestration/media/prepare-media.ts';
import { finishPreparation } from '../../../lambda/orchestration/runs/start-prepared.ts';
import { notEncodable, notPrepared } from '../../../lambda/orchestration/media/request-renditions.ts';
import { applyProbeResult } from '../../../lambda/orchestration/playout/apply-probe-result.ts';
import { actorsOn } from '../../support/actors.ts';
import { pretendProbed, testService } from '../../support/service.ts';
import { allowBackendEdit } from '../../support/stored-streams.ts';
import { clearRenditions } from '../../support/stored-uploads.ts';

const service = testService();
const {
  call,
  causes,
  claim,
  commands,
  create,
  data,
  playlist,
  readyStream,
  register,
  stream,
  transaction,
  unprobed,
  upload,
  user,
} = actorsOn(service);
const pictures = 'q_720p-f_30';
const damaged = { code: 'damaged', detail: 'It cannot be decoded.' };

beforeEach(() => clearRenditions(service));

/** An upload with this content. Uploads of the same content share their renditions. */
async function uploadOf(content: string, facts?: Parameters<typeof upload>[0]): Promise<string> {
  const id = await upload(facts);
  await data().uploads.recordContentHash(id, content);
  return id;
}

/** Prepares a content in a format, in one segment, as the media worker would. */
async function prepare(content: string, format = pictures): Promise<void> {
  await data().renditions.begin(content, formatNamed(format), 1);
  await data().renditions.finishSegment(content, format, 0);
  await finishPreparation(service.pool(), content, formatNamed(format));
}

/** Marks a content as impossible to prepare in a format, as the media worker would. */
async function fail(content: string, failure: typeof damaged, format = pictures): Promise<void> {
  await data().renditions.fail(content, formatNamed(format), failure);
  await finishPreparation(service.pool(), content, formatNamed(format));
}

/** Makes the last work on all renditions an hour old. */
const abandonRenditions = () => service.pool().query(`update renditions set updated_at = now() - interval '1 hour'`);

const prepared = { streamBackend: 'manifest', quality: 'q_720p', framerate: 'f_30' };
const start = async (id: string) => (await call('POST', `/streams/${id}/start`)).body.state;
/** The preparation commands, in order. */
const asked = async (): Promise<unknown[]> =>
  (await commands()).map(({ body }) => body).filter(({ task }) => task === 'prepare_upload');

/** A stream of the prepared backend with a playlist of these uploads. */
async function playlistStream(...uploadIDs: string[]): Promise<{ id: string; playlistID: string }> {
  const id = await readyStream({ ...prepared, videoUploadObjectID: null });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  await call('POST', `/playlists/${playlistID}/operations`, {
    operations: uploadIDs.map((uploadID) => ({ op: 'add', uploadID })),
  });
  return { id, playlistID };
}

describe('a start', () => {
  it('asks once for each content, and lets no agent claim its stream before that is prepared', async () => {
    const [first, second] = [await uploadOf('a'), await uploadOf('a')];
    const streams = [
      await readyStream({ ...prepared, videoUploadObjectID: first }),
      await readyStream({ ...prepared, videoUploadObjectID: second }),
    ];
    expect(await Promise.all(streams.map(start))).toEqual(['preparing', 'preparing']);
    expect(await asked()).toHaveLength(1);
    await register('agent');
    expect(await claim('agent')).toEqual([]);
    await prepare('a');
    for (const id of streams) expect(await causes(id)).toEqual(['start', 'preparation_needed', 'preparation_done']);
    expect(await claim('agent')).toHaveLength(2);
  });

  it('does not wait for another one with the same media that is not over', async () => {
    const upload = await uploadOf('a');
    const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;
    const request = (tx: Database) =>
      requestPreparation(tx, { track: 'video', items: [{ uploadID: upload }], format }, { retries: 'at once' });
    expect(await transaction(request)).toBe('preparing');
    await transaction(async (first) => {
      expect(await request(first)).toBe('preparing');
      expect(await transaction(request)).toBe('preparing');
      expect(await request(first)).toBe('preparing');
    });
    expect(await asked()).toHaveLength(1);
  });

  it('with prepared media does not wait, and at another framerate has them prepared anew', async () => {
    await prepare('a');
    const id = await readyStream({ ...prepared, videoUploadObjectID: await uploadOf('a') });
    expect(await start(id)).toBe('activating');
    const other = await readyStream({ ...prepared, framerate: 'f_60', videoUploadObjectID: await uploadOf('a') });
    expect(await start(other)).toBe('preparing');
  });

  it('in another codec has media prepared anew, and the run keeps that codec', async () => {
    await prepare('a');
    const id = await readyStream({ ...prepared, videoCodec: 'hevc', videoUploadObjectID: await uploadOf('a') });
    expect(await start(id)).toBe('preparing');
    expect(await asked()).toMatchObject([{ format: 'q_720p-f_30-hevc' }]);
    await prepare('a', 'q_720p-f_30-hevc');
    expect((await stream(id)).state).toBe('activating');
    expect(formatOfRun((await data().streams.lockAny(id))!)).toEqual({
      quality: 'q_720p',
      framerate: 'f_30',
      videoCodec: 'hevc',
    });
  });

  it('waits for the first item of a playlist that is prepared, not for all of them', async () => {
    const { id } = await playlistStream(await uploadOf('a'), await uploadOf('b'), await uploadOf('c'));
    expect(await start(id)).toBe('preparing');
    await fail('b', damaged);
    expect((await stream(id)).state).toBe('preparing');
    expect(await asked()).toHaveLength(3);
    await prepare('c');
    expect((await stream(id)).state).toBe('activating');
    const contents = async () => {
      const { video } = await data().timelines.ofStream(id);
      const uploadIDs = video[0]!.snapshot.items.map(({ uploadID }) => uploadID);
      const { contentHashes } = await data().renditions.prepared(uploadIDs, [formatNamed('q_720p-f_30')]);
      return new Set(contentHashes.values()).size;
    };
    // Unprepared content is not awaited: a stand-in plays in its place.
    expect(await contents()).toBe(1);
    await prepare('a');
    expect(await contents()).toBe(2);
  });

  it('fails with the reason where no item can be prepared for one reason', async () => {
    const { id } = await playlistStream(await uploadOf('a'), await uploadOf('b'));
    await start(id);
    for (const content of ['a', 'b']) await fail(content, notEncodable('hevc'));
    expect((await stream(id)).stateReason.detail).toContain('Set videoCodec to h264');
    expect(await start(id)).toBe('preparing');
  });

  it('fails when nothing can be prepared, and says what to do', async () => {
    const { id } = await playlistStream(await uploadOf('a'), await uploadOf('b'));
    await start(id);
    await fail('a', damaged);
    await fail('b', notPrepared);
    expect(await stream(id)).toMatchObject({
      state: 'failed',
      stateReason: { code: 'preparation_failed', detail: expect.stringContaining('Replace') },
    });
    // A preparation that failed by our fault is retried, but only at the next start or publication.
    expect(await asked()).toHaveLength(2);
    expect(await start(id)).toBe('preparing');
    expect(await asked()).toHaveLength(3);
  });

  it('asks again for a rendition that nobody has worked on for an hour', async () => {
    const uploadID = await uploadOf('a');
    await start(await readyStream({ ...prepared, videoUploadObjectID: uploadID }));
    await start(await readyStream({ ...prepared, videoUploadObjectID: uploadID }));
    expect(await asked()).toHaveLength(1);
    await abandonRenditions();
    await start(await readyStream({ ...prepared, videoUploadObjectID: uploadID }));
    expect(await asked()).toHaveLength(2);
  });

  it('asks for a track of sound once for all formats, and does without one that cannot be prepared', async () => {
    await prepare('a');
    const audioUploadObjectID = await uploadOf('song', { videoCodec: null });
    const id = await readyStream({ ...prepared, videoUploadObjectID: await uploadOf('a'), audioUploadObjectID });
    expect(await start(id)).toBe('preparing');
    expect(await asked()).toEqual([
      { task: 'prepare_upload', uploadID: audioUploadObjectID, contentHash: 'song', format: 'sound' },
    ]);
    await fail('song', damaged, 'sound');
    expect((await stream(id)).state).toBe('activating');
  });

  it('of a stream that is stopped while it waits does not go on', async () => {
    const id = await readyStream({ ...prepared, videoUploadObjectID: await uploadOf('a') });
    await start(id);
    await call('POST', `/streams/${id}/stop`);
    await prepare('a');
    expect((await stream(id)).state).toBe('stopped');
  });
});

describe('publishing a playlist', () => {
  const carryOut = async (playlistID: string) => {
    const request = (await data().playlists.findAny(playlistID))!.publish_request;
    await transaction(async (tx) =>
      publishDraft(tx, playlistID, request, { now: await tx.now(), random: () => 0.5, limitFactor: 100 }),
    );
  };

  it('waits until its items are prepared, and is asked for again once they are', async () => {
    const { playlistID } = await playlistStream(await uploadOf('a'));
    await call('POST', `/playlists/${playlistID}/publish`);
    await carryOut(playlistID);
    expect((await playlist(playlistID)).publishStatus).toBe('PREPARING');
    const before = (await commands()).length;
    await prepare('a');
    expect((await commands()).slice(before).map(({ body }) => body.task)).toEqual(['publish_playlist']);
    await carryOut(playlistID);
    expect(await playlist(playlistID)).toMatchObject({ publishStatus: 'IDLE', live: { version: 2 } });
  });

  it('waits for the codec of its stream', async () => {
    const { id, playlistID } = await playlistStream(await uploadOf('a'));
    await call('PATCH', `/streams/${id}`, { videoCodec: 'av1' });
    await prepare('a');
    await call('POST', `/playlists/${playlistID}/publish`);
    await carryOut(playlistID);
    expect((await playlist(playlistID)).publishStatus).toBe('PREPARING');
    expect(await asked()).toMatchObject([{ format: 'q_720p-f_30-av1' }]);
  });

  it('says what helps where no encoder is there for its codec', async () => {
    const { id, playlistID } = await playlistStream(await uploadOf('a'));
    await call('PATCH', `/streams/${id}`, { videoCodec: 'av1' });
    await call('POST', `/playlists/${playlistID}/publish`);
    await carryOut(playlistID);
    await fail('a', notEncodable('av1'), 'q_720p-f_30-av1');
    await carryOut(playlistID);
    expect(await playlist(playlistID)).toMatchObject({
      publishFailure: { detail: expect.stringContaining('Set videoCodec to h264') },
    });
  });

  it('fails when nothing of it can be prepared', async () => {
    const { playlistID } = await playlistStream(await uploadOf('a'));
    await call('POST', `/playlists/${playlistID}/publish`);
    await carryOut(playlistID);
    await fail('a', damaged);
    await carryOut(playlistID);
    expect(await playlist(playlistID)).toMatchObject({
      publishStatus: 'FAILED',
      publishFailure: { code: 'playlist_not_playable' },
    });
  });
});

describe('preparedPlaylistIDs', () => {
  const share = async (id: string) => (await stream(id)).preparedShare;
  const edit = (playlistID: string, ...operations: object[]) =>
    call('POST', `/playlists/${playlistID}/operations`, { operations });
  const keep = (id: string, ...preparedPlaylistIDs: string[]) =>
    call('PATCH', `/streams/${id}`, { preparedPlaylistIDs });

  it('are prepared at once, drafts too, so that a start goes straight to activating', async () => {
    const { id, playlistID } = await playlistStream(await uploadOf('a'), await uploadOf('b'), await uploadOf('b'));
    expect(await share(id)).toBeNull();
    await keep(id, playlistID);
    expect(await asked()).toMatchObject([{ format: pictures }, { format: pictures }]);
    expect(await share(id)).toBe(0);
    await prepare('b');
    expect(await share(id)).toBeCloseTo(2 / 3);
    await prepare('a');
    expect(await share(id)).toBe(1);
    expect(await start(id)).toBe('activating');
    expect(await causes(id)).toEqual(['start']);
    expect(await asked()).toHaveLength(2);
  });

  it('are prepared in the format of each stream that names them, and sound once for all', async () => {
    const owner = await playlistStream(await uploadOf('a'));
    const songs = await create('/playlists', { streamID: owner.id, kind: 'audio', mode: 'shuffle' });
    await edit(songs, { op: 'add', uploadID: await uploadOf('song', { videoCodec: null }) });
    expect(await asked()).toEqual([]);
    await create('/streams', { ...prepared, framerate: 'f_60', preparedPlaylistIDs: [owner.playlistID, songs] });
    await create('/streams', { ...prepared, framerate: 'f_25', preparedPlaylistIDs: [owner.playlistID, songs] });
    expect((await asked()).map((command) => (command as { format: string }).format).sort()).toEqual([
      'q_720p-f_25',
      'q_720p-f_60',
      'sound',
    ]);
  });

  it('are prepared anew when the stream changes its format or its backend', async () => {
    const { id, playlistID } = await playlistStream(await uploadOf('a'));
    await keep(id, playlistID);
    await prepare('a');
    await call('PATCH', `/streams/${id}`, { quality: 'q_1080p' });
    expect(await asked()).toMatchObject([{ format: pictures }, { format: 'q_1080p-f_30' }]);
    expect(await share(id)).toBe(0);
    await call('PATCH', `/streams/${id}`, { videoCodec: 'hevc' });
    expect((await asked()).at(-1)).toMatchObject({ format: 'q_1080p-f_30-hevc' });
    expect(await share(id)).toBe(0);
    const encoded = await create('/streams', {
      streamBackend: 'ffmpeg',
      quality: 'q_2160p',
      preparedPlaylistIDs: [playlistID],
    });
    expect(await share(encoded)).toBeNull();
    expect(await asked()).toHaveLength(3);
    await allowBackendEdit(service, user().id);
    await call('PATCH', `/streams/${encoded}`, { streamBackend: 'manifest', framerate: 'f_24' });
    expect((await asked()).at(-1)).toMatchObject({ format: 'q_2160p-f_24' });
  });

  it('follow their drafts: items are prepared that are added, copied or examined later', async () => {
    const { id, playlistID } = await playlistStream(await uploadOf('a'));
    await keep(id, playlistID);
    await prepare('a');
    await edit(playlistID, { op: 'add', uploadID: await uploadOf('b') });
    expect(await asked()).toHaveLength(2);
    await prepare('b');
    const late = await unprobed();
    await data().uploads.markUploaded(late, 5);
    await edit(playlistID, { op: 'add', uploadID: late });
    expect(await asked()).toHaveLength(2);
    expect(await share(id)).toBeCloseTo(2 / 3);
    await pretendProbed(service, late);
    await transaction((tx) => applyProbeResult(tx, late, 100));
    expect((await asked()).at(-1)).toEqual({ task: 'prepare_upload', uploadID: late, format: pictures });
    const target = await playlistStream();
    await keep(target.id, target.playlistID);
    await data().uploads.recordContentHash(late, 'late');
    await call('POST', `/playlists/${playlistID}/copy`, { targetPlaylistID: target.playlistID });
    expect(await asked()).toHaveLength(4);
  });

  it('do not wait for uploads that cannot be played or prepared; what failed by our fault is tried again', async () => {
    const [broken, withoutPicture] = [await unprobed(), await unprobed()];
    await data().uploads.recordFailure(broken, damaged);
    const { id, playlistID } = await playlistStream(await uploadOf('a'), withoutPicture, broken);
    await pretendProbed(service, withoutPicture, { videoCodec: null });
    await data().uploads.recordContentHash(withoutPicture, 'without picture');
    await keep(id, playlistID);
    expect(await asked()).toHaveLength(1);
    expect(await share(id)).toBeCloseTo(2 / 3);
    await fail('a', notPrepared);
    expect(await share(id)).toBe(1);
    await call('POST', `/playlists/${playlistID}/publish`);
    expect(await asked()).toHaveLength(2);
  });

  it('are not prepared any more for a stream that is deleted or does not name them any more', async () => {
    const { id, playlistID } = await playlistStream(await uploadOf('a'));
    const other = await create('/streams', { ...prepared, preparedPlaylistIDs: [playlistID] });
    await keep(id, playlistID);
    await prepare('a');
    await keep(id);
    await call('DELETE', `/streams/${other}`);
    await edit(playlistID, { op: 'add', uploadID: await uploadOf('b') });
    expect(await asked()).toHaveLength(1);
    expect(await share(id)).toBeNull();
  });
});

const setFormatOfRun = (id: string, { quality, framerate, videoCodec }: PictureFormat) =>
  service
    .pool()
    .query('update streams set run_quality = $2, run_framerate = $3, run_video_codec = $4 where id = $1', [
      id,
      quality,
      framerate,
      videoCodec,
    ]);

describe('every format has in SQL the name that it has in TypeScript', () => {
  const formats = qualities.flatMap((quality) =>
    framerates.flatMap((framerate) => videoCodecs.map((videoCodec) => ({ quality, framerate, videoCodec }))),
  );

  it('where playlists are kept prepared', async () => {
    const { id, playlistID } = await playlistStream(await uploadOf('a'));
    await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: [playlistID] });
    const settings = (await data().streams.lockAny(id))!;
    for (const { videoCodec, ...format } of formats) {
      for (const video_codec of videoCodec === 'h264' ? [videoCodec, null] : [videoCodec]) {
        await data().streams.saveSettings(id, { ...settings, ...format, video_codec });
        expect(await data().renditions.lockToKeep('stream', id)).toMatchObject([{ format: { ...format, videoCodec } }]);
        await data().renditions.begin('a', { ...format, videoCodec }, 2);
        await data().renditions.finishSegment('a', formatName({ ...format, videoCodec }), 0);
        expect(await data().preparedShares.ofStreams([id])).toEqual(new Map([[id, 0.5]]));
      }
    }
  });

  it('in a run', async () => {
    const id = await readyStream({ ...prepared, videoUploadObjectID: await uploadOf('a') });
    await start(id);
    for (const format of formats) {
      await setFormatOfRun(id, format);
      await data().renditions.begin('a', format, 2);
      await data().renditions.finishSegment('a', formatName(format), 0);
      expect(await data().preparedShares.ofStreams([id])).toEqual(new Map([[id, 0.5]]));
      expect(formatOfRun((await data().streams.lockAny(id))!)).toEqual(format);
    }
  });
});
