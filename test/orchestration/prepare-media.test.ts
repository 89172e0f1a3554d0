// What a stream of the manifest backend waits for: asked for once for each content, and waited for until nothing more can come.
import { beforeEach, describe, expect, it } from 'vitest';
import { formatOfRun } from '../../lambda/data/streams.ts';
import { formatName } from '../../lambda/domain/rendition.ts';
import { framerates, qualities, videoCodecs } from '../../lambda/domain/video-format.ts';
import { publishPlaylist } from '../../lambda/orchestration/publish-playlist.ts';
import { notEncodable, notPrepared, settlePreparation } from '../../lambda/orchestration/prepare-media.ts';
import { settleUpload } from '../../lambda/orchestration/settle-upload.ts';
import { pretendProbed, testService } from '../support/service.ts';
import { actorsOn } from './actors.ts';

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
} = actorsOn(service);
const pictures = 'q_720p-f_30';
const damaged = { code: 'damaged', detail: 'It cannot be decoded.' };

beforeEach(() => service.pool().query('truncate renditions'));

/** An upload with this content. */
async function uploadOf(content: string, facts?: Parameters<typeof upload>[0]): Promise<string> {
  const id = await upload(facts);
  await data().uploads.recordContentHash(id, content);
  return id;
}

async function prepare(content: string, format = pictures): Promise<void> {
  await data().renditions.begin(content, format, 1);
  await data().renditions.finishSegment(content, format, 0);
  await settlePreparation(service.pool(), content);
}

async function fail(content: string, failure: typeof damaged, format = pictures): Promise<void> {
  await data().renditions.fail(content, format, failure);
  await settlePreparation(service.pool(), content);
}

const manifest = { streamBackend: 'manifest', quality: 'q_720p', framerate: 'f_30' };
const start = async (id: string) => (await call('POST', `/streams/${id}/start`)).body.state;
const asked = async (): Promise<unknown[]> =>
  (await commands()).map(({ body }) => body).filter(({ task }) => task === 'prepare_upload');

async function playlistStream(...uploadIDs: string[]): Promise<{ id: string; playlistID: string }> {
  const id = await readyStream({ ...manifest, videoUploadObjectID: null });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  await call('POST', `/playlists/${playlistID}/operations`, {
    operations: uploadIDs.map((uploadID) => ({ op: 'add', uploadID })),
  });
  return { id, playlistID };
}

describe('a start', () => {
  it('asks once for each content, whoever else has asked, and lets no agent claim before it is there', async () => {
    const [first, second] = [await uploadOf('a'), await uploadOf('a')];
    const streams = [
      await readyStream({ ...manifest, videoUploadObjectID: first }),
      await readyStream({ ...manifest, videoUploadObjectID: second }),
    ];
    expect(await Promise.all(streams.map(start))).toEqual(['preparing', 'preparing']);
    expect(await asked()).toHaveLength(1);
    await register('agent');
    expect(await claim('agent')).toEqual([]);
    await prepare('a');
    for (const id of streams) expect(await causes(id)).toEqual(['start', 'preparation_needed', 'preparation_done']);
    expect(await claim('agent')).toHaveLength(2);
  });

  it('of what is prepared already takes no detour, and at another framerate prepares anew', async () => {
    await prepare('a');
    const id = await readyStream({ ...manifest, videoUploadObjectID: await uploadOf('a') });
    expect(await start(id)).toBe('activating');
    const other = await readyStream({ ...manifest, framerate: 'f_60', videoUploadObjectID: await uploadOf('a') });
    expect(await start(other)).toBe('preparing');
  });

  it('in another codec prepares anew, and the run keeps to it', async () => {
    await prepare('a');
    const id = await readyStream({ ...manifest, videoCodec: 'hevc', videoUploadObjectID: await uploadOf('a') });
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

  it('waits for all items of a playlist, and goes on without those that cannot be prepared', async () => {
    const { id } = await playlistStream(await uploadOf('a'), await uploadOf('b'), await uploadOf('c'));
    expect(await start(id)).toBe('preparing');
    await prepare('a');
    await fail('b', damaged);
    expect((await stream(id)).state).toBe('preparing');
    expect(await asked()).toHaveLength(3);
    await prepare('c');
    expect((await stream(id)).state).toBe('activating');
  });

  it('fails with the reason where there is one for all of it', async () => {
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
    // What failed by our fault is tried again, but only when somebody asks.
    expect(await asked()).toHaveLength(2);
    expect(await start(id)).toBe('preparing');
    expect(await asked()).toHaveLength(3);
  });

  it('asks again for what nobody has worked on for long', async () => {
    const uploadID = await uploadOf('a');
    await start(await readyStream({ ...manifest, videoUploadObjectID: uploadID }));
    await start(await readyStream({ ...manifest, videoUploadObjectID: uploadID }));
    expect(await asked()).toHaveLength(1);
    await service.pool().query(`update renditions set updated_at = now() - interval '1 hour'`);
    await start(await readyStream({ ...manifest, videoUploadObjectID: uploadID }));
    expect(await asked()).toHaveLength(2);
  });

  it('needs a track of sound once for all formats, and goes on with the own sound of the pictures when it cannot be had', async () => {
    await prepare('a');
    const audioUploadObjectID = await uploadOf('song', { videoCodec: null });
    const id = await readyStream({ ...manifest, videoUploadObjectID: await uploadOf('a'), audioUploadObjectID });
    expect(await start(id)).toBe('preparing');
    expect(await asked()).toEqual([{ task: 'prepare_upload', uploadID: audioUploadObjectID, format: 'sound' }]);
    await fail('song', damaged, 'sound');
    expect((await stream(id)).state).toBe('activating');
  });

  it('that is stopped meanwhile stays stopped', async () => {
    const id = await readyStream({ ...manifest, videoUploadObjectID: await uploadOf('a') });
    await start(id);
    await call('POST', `/streams/${id}/stop`);
    await prepare('a');
    expect((await stream(id)).state).toBe('stopped');
  });
});

describe('a publish', () => {
  const carryOut = async (playlistID: string) => {
    const request = (await data().playlists.findAny(playlistID))!.publish_request;
    await transaction(async (tx) => publishPlaylist(tx, playlistID, request, await tx.now(), () => 0.5));
  };

  it('waits until its items are prepared, and is asked for again then', async () => {
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

  it('are prepared for each stream that names them, whoever plays them, and sound once for all', async () => {
    const owner = await playlistStream(await uploadOf('a'));
    const songs = await create('/playlists', { streamID: owner.id, kind: 'audio', mode: 'shuffle' });
    await edit(songs, { op: 'add', uploadID: await uploadOf('song', { videoCodec: null }) });
    expect(await asked()).toEqual([]);
    await create('/streams', { ...manifest, framerate: 'f_60', preparedPlaylistIDs: [owner.playlistID, songs] });
    await create('/streams', { ...manifest, framerate: 'f_25', preparedPlaylistIDs: [owner.playlistID, songs] });
    expect((await asked()).map((command) => (command as { format: string }).format).sort()).toEqual([
      'q_720p-f_25',
      'q_720p-f_60',
      'sound',
    ]);
  });

  it('are prepared anew when the stream changes its format or takes to preparing', async () => {
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
    await service.pool().query('update users set stream_backend_edit = true');
    await call('PATCH', `/streams/${encoded}`, { streamBackend: 'manifest', framerate: 'f_24' });
    expect((await asked()).at(-1)).toMatchObject({ format: 'q_2160p-f_24' });
  });

  it('follow their drafts: what is added, copied, and examined later', async () => {
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
    await transaction((tx) => settleUpload(tx, late));
    expect((await asked()).at(-1)).toEqual({ task: 'prepare_upload', uploadID: late, format: pictures });
    const target = await playlistStream();
    await keep(target.id, target.playlistID);
    await data().uploads.recordContentHash(late, 'late');
    await call('POST', `/playlists/${playlistID}/copy`, { targetPlaylistID: target.playlistID });
    expect(await asked()).toHaveLength(4);
  });

  it('do not wait for what cannot be played or prepared, which is tried again when somebody asks if it was our fault', async () => {
    const broken = await unprobed();
    await data().uploads.recordFailure(broken, damaged);
    const { id, playlistID } = await playlistStream(
      await uploadOf('a'),
      await uploadOf('silent', { videoCodec: null }),
      broken,
    );
    await keep(id, playlistID);
    expect(await asked()).toHaveLength(1);
    expect(await share(id)).toBeCloseTo(2 / 3);
    await fail('a', notPrepared);
    expect(await share(id)).toBe(1);
    await call('POST', `/playlists/${playlistID}/publish`);
    expect(await asked()).toHaveLength(2);
  });

  it('keep nothing of a stream that is deleted or names them no more', async () => {
    const { id, playlistID } = await playlistStream(await uploadOf('a'));
    const other = await create('/streams', { ...manifest, preparedPlaylistIDs: [playlistID] });
    await keep(id, playlistID);
    await prepare('a');
    await keep(id);
    await call('DELETE', `/streams/${other}`);
    await edit(playlistID, { op: 'add', uploadID: await uploadOf('b') });
    expect(await asked()).toHaveLength(1);
    expect(await share(id)).toBeNull();
  });
});

describe('every format has in SQL the name that it has everywhere', () => {
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
        expect(await data().renditions.toKeep('stream', id)).toMatchObject([
          { format: formatName({ ...format, videoCodec }) },
        ]);
      }
    }
  });

  it('in a run, which was in H.264 if it does not say', async () => {
    const id = await readyStream({ ...manifest, videoUploadObjectID: await uploadOf('a') });
    await start(id);
    const expectHalf = async () => expect(await data().renditions.preparedShares([id])).toEqual(new Map([[id, 0.5]]));
    for (const format of formats) {
      await data().streams.beginRun(id, format);
      await data().renditions.begin('a', formatName(format), 2);
      await data().renditions.finishSegment('a', formatName(format), 0);
      await expectHalf();
    }
    await service
      .pool()
      .query(`update streams set run_quality = 'q_720p', run_framerate = 'f_30', run_video_codec = null`);
    await service.pool().query(`delete from renditions where format <> $1`, [pictures]);
    await expectHalf();
    expect(formatOfRun((await data().streams.lockAny(id))!)).toEqual({
      quality: 'q_720p',
      framerate: 'f_30',
      videoCodec: 'h264',
    });
  });
});

it('a rendition is forgotten with the last upload of its content', async () => {
  const [first, second] = [await uploadOf('a'), await uploadOf('a')];
  await prepare('a');
  await data().uploads.delete(first);
  expect(await data().renditions.removeOrphans()).toEqual([]);
  await data().uploads.delete(second);
  expect(await data().renditions.removeOrphans()).toMatchObject([
    { content_hash: 'a', format: pictures, segment_count: 1 },
  ]);
});
