// Publication of a draft: live, before the first frame, while uploads are inspected, and beside a start.
import { beforeEach, describe, expect, it } from 'vitest';
import { occurrenceAt } from '../../../lambda/domain/playout/play-out.ts';
import { publishDraft } from '../../../lambda/orchestration/playout/publish-draft.ts';
import { createMediaWorker } from '../../../lambda/publisher/media-worker.ts';
import { actorsOn } from '../../support/actors.ts';
import { untilLockWaits } from '../../support/database-outage.ts';
import { pretendProbed, testService } from '../../support/service.ts';
import { forgetProbe } from '../../support/stored-uploads.ts';

const service = testService();
const {
  call,
  claim,
  data,
  playlist,
  readyStream,
  register,
  report,
  startedStream,
  stream,
  transaction,
  unprobed,
  upload,
} = actorsOn(service);
const fps = 30;

/** A stream that plays the playlist, which has these two uploads, of 7 and 5 seconds. */
let streamID: string;
let playlistID: string;
let uploads: string[];

beforeEach(async () => {
  uploads = [await upload({ durationSeconds: 7 }), await upload({ durationSeconds: 5 })];
  streamID = await readyStream({ videoUploadObjectID: null, quality: 'q_720p', framerate: 'f_30' });
  playlistID = (await call('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' })).body.id;
  await add(...uploads);
});

const add = (...ids: string[]) =>
  call('POST', `/playlists/${playlistID}/operations`, { operations: ids.map((uploadID) => ({ op: 'add', uploadID })) });
const replaceAllBy = (id: string) =>
  call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'clear' }, { op: 'add', uploadID: id }] });
const askToPublish = () => call('POST', `/playlists/${playlistID}/publish`);
/** Carries out the last request to publish, as the media worker would. */
const carryOut = async (now = new Date()) => {
  const request = (await data().playlists.findAny(playlistID))!.publish_request;
  await transaction((tx) => publishDraft(tx, playlistID, request, { now, random: () => 0.5, limitFactor: 100 }));
};
const timeline = async () => (await data().timelines.ofStream(streamID)).video;

/** Makes the stream send. @returns the due time of the first frame */
async function goLive(): Promise<Date> {
  await call('POST', `/streams/${streamID}/start`);
  await register('agent');
  const [replica] = await claim('agent');
  const { anchored_at: anchoredAt } = await data().streams.anchor(streamID);
  await report(replica!, 'live');
  return anchoredAt;
}

/** An upload whose bytes are complete but not inspected yet. */
async function sentUpload(): Promise<string> {
  const id = await unprobed();
  await pretendProbed(service, id);
  await forgetProbe(service, id);
  return id;
}

/** Moves the first frame of all streams one minute into the past. */
const letRunForAMinute = () =>
  service.pool().query(`update streams set anchored_at = anchored_at - interval '1 minute'`);

const secondsAfter = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000);

describe('publishing while live', () => {
  it.each([
    [0, 12],
    [1.9, 12],
    [2.1, 19],
    [8.9, 19],
    [9.1, 24],
    [1000, 1015],
  ])(
    'at %d s of laps of 7 + 5 s takes effect at %d s, where an item ends at least 10 s ahead',
    async (atSeconds, boundarySeconds) => {
      const anchoredAt = await goLive();
      const before = await timeline();
      const other = await upload({ durationSeconds: 3 });
      await replaceAllBy(other);
      await askToPublish();
      await carryOut(secondsAfter(anchoredAt, atSeconds));
      const after = await timeline();
      expect(after).toHaveLength(2);
      expect(after[0]).toEqual(before[0]);
      expect(after[1]).toMatchObject({
        offsetSeconds: boundarySeconds,
        playlistID,
        snapshot: { items: [{ uploadID: other }] },
      });
      expect(occurrenceAt(after, boundarySeconds * fps, fps)).toMatchObject({
        item: { uploadID: other },
        lap: 0,
        startFrame: boundarySeconds * fps,
      });
      expect(await playlist(playlistID)).toMatchObject({ publishStatus: 'IDLE', live: { version: 3 } });
    },
  );

  it('replaces a draft that has not begun, and follows one that has', async () => {
    const anchoredAt = await goLive();
    const [first, second, third] = [await upload(), await upload(), await upload()];
    for (const [uploadID, atSeconds] of [
      [first, 0],
      [second, 1.5],
      [third, 30],
    ] as const) {
      await replaceAllBy(uploadID);
      await askToPublish();
      await carryOut(secondsAfter(anchoredAt, atSeconds));
    }
    const plays = (await timeline()).map(({ offsetSeconds, snapshot }) => [offsetSeconds, snapshot.items[0]!.uploadID]);
    expect(plays).toEqual([
      [0, uploads[0]],
      [12, second],
      [42, third],
    ]);
  });

  it('changes nothing by another request than the last', async () => {
    await goLive();
    await askToPublish();
    await askToPublish();
    await transaction((tx) =>
      publishDraft(tx, playlistID, 1, { now: new Date(), random: () => 0.5, limitFactor: 100 }),
    );
    expect((await playlist(playlistID)).publishStatus).toBe('PREPARING');
    expect(await timeline()).toHaveLength(1);
  });

  it('fails where nothing can be played, and the stream goes on', async () => {
    await goLive();
    const unseen = await unprobed();
    await replaceAllBy(unseen);
    await pretendProbed(service, unseen, { videoCodec: null });
    await askToPublish();
    await carryOut();
    expect(await playlist(playlistID)).toMatchObject({
      publishStatus: 'FAILED',
      publishFailure: { code: 'playlist_not_playable' },
      live: { version: 2 },
    });
    expect(await timeline()).toHaveLength(1);
    expect((await stream(streamID)).state).toBe('active');
  });

  it('keeps uploads that still play from being deleted until the new draft has taken over', async () => {
    await goLive();
    await replaceAllBy(await upload());
    await askToPublish();
    await carryOut();
    expect((await call('DELETE', `/uploads/${uploads[0]}`)).body.code).toBe('resource_in_use');
    await letRunForAMinute();
    expect((await call('DELETE', `/uploads/${uploads[0]}`)).status).toBe(204);
  });
});

describe('publishing before the first frame', () => {
  it('lets the run begin with the new draft', async () => {
    await call('POST', `/streams/${streamID}/start`);
    for (const other of [await upload(), await upload()]) {
      await replaceAllBy(other);
      await askToPublish();
      await carryOut();
      expect(occurrenceAt(await timeline(), 0, fps).item.uploadID).toBe(other);
    }
    expect(await timeline()).toHaveLength(2);
  });
});

describe('items that are still being examined', () => {
  it('are waited for, and whoever examines them finds the playlist that waits', async () => {
    await goLive();
    const late = await unprobed();
    await service.objects().write((await data().uploads.findAny(late))!.object_key, Buffer.from('no media at all'), {
      contentType: 'video/mp4',
    });
    await call('POST', `/uploads/${late}/complete`);
    await add(late);
    await askToPublish();
    await carryOut();
    expect((await playlist(playlistID)).publishStatus).toBe('PREPARING');
    await pretendProbed(service, late);
    expect(await data().playlists.publishingWith(late)).toMatchObject([{ id: playlistID }]);
    await carryOut();
    expect(await playlist(playlistID)).toMatchObject({
      publishStatus: 'IDLE',
      live: { items: [{}, {}, { uploadID: late }] },
    });
  });

  it('are not missed when their examination ends while the draft is published', async () => {
    await goLive();
    const late = await sentUpload();
    await add(late);
    let publishing: Promise<void>;
    await transaction(async (probe) => {
      await probe.uploads.recordFailure(late, { code: 'unreadable', detail: 'x' });
      expect(await probe.playlists.publishingWith(late)).toEqual([]);
      await askToPublish();
      publishing = carryOut();
      await untilLockWaits(service, 1);
    });
    await publishing!;
    expect(await playlist(playlistID)).toMatchObject({ publishStatus: 'IDLE', live: { version: 3 } });
  });

  it('when the stream starts join it once they were examined', async () => {
    const late = await sentUpload();
    await add(late);
    await goLive();
    expect((await timeline()).at(-1)!.snapshot.items).toHaveLength(2);
    expect([(await playlist(playlistID)).publishStatus, (await stream(streamID)).processingState]).toEqual([
      'PREPARING',
      'processing',
    ]);
    await pretendProbed(service, late);
    await carryOut();
    expect(
      (await timeline())
        .at(-1)!
        .snapshot.items.map((item) => item.uploadID)
        .toSorted(),
    ).toEqual([...uploads, late].toSorted());
    expect([(await playlist(playlistID)).publishStatus, (await stream(streamID)).processingState]).toEqual([
      'IDLE',
      'idle',
    ]);
  });

  it('that were never sent are not waited for', async () => {
    await goLive();
    await add(await unprobed());
    await askToPublish();
    await carryOut();
    expect((await playlist(playlistID)).publishStatus).toBe('IDLE');
    expect((await timeline()).at(-1)!.snapshot.items).toHaveLength(2);
  });
});

describe('publishing next to a start', () => {
  it('has nothing left to do, as the start publishes the draft', async () => {
    await askToPublish();
    await call('POST', `/streams/${streamID}/start`);
    expect(await playlist(playlistID)).toMatchObject({ publishStatus: 'IDLE', live: { version: 2, items: [{}, {}] } });
    await carryOut();
    expect(await timeline()).toHaveLength(1);
  });

  it('loses no edit that is made and published at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      await call('PATCH', `/streams/${streamID}`, { status: 'INACTIVE' });
      const other = await upload();
      const edited = replaceAllBy(other).then(askToPublish);
      await Promise.all([edited, call('POST', `/streams/${streamID}/start`)]);
      await carryOut();
      const { live, draft, publishStatus } = await playlist(playlistID);
      expect(publishStatus).toBe('IDLE');
      expect(live.items).toEqual(draft.items);
      expect(occurrenceAt(await timeline(), 0, fps).item.uploadID).toBe(other);
    }
  });
});

it('publishing a playlist that its stream does not play does not change the run', async () => {
  const id = await startedStream();
  const unplayed = (await call('POST', '/playlists', { streamID: id, kind: 'video', mode: 'sequential' })).body.id;
  await call('POST', `/playlists/${unplayed}/operations`, { operations: [{ op: 'add', uploadID: uploads[0] }] });
  await call('POST', `/playlists/${unplayed}/publish`);
  await transaction((tx) => publishDraft(tx, unplayed, 1, { now: new Date(), random: () => 0.5, limitFactor: 100 }));
  expect((await playlist(unplayed)).live).toMatchObject({ version: 2 });
  expect((await data().timelines.ofStream(id)).video).toHaveLength(1);
});

it('publishing a playlist that is gone is done, when the media queue asks for it', async () => {
  await askToPublish();
  await call('DELETE', `/streams/${streamID}`);
  const worker = createMediaWorker({
    pool: service.pool(),
    objects: service.objects(),
    tools: { ffmpegPath: '', ffprobePath: '' },
    encoderOf: async () => ({ codec: 'h264_nvenc' }),
    random: () => 0.5,
    limitFactor: 100,
    log: () => {},
  });
  const record = {
    messageId: '1',
    body: JSON.stringify({ task: 'publish_playlist', playlistID, request: 1 }),
    attributes: {},
  };
  expect(await worker({ Records: [record as Parameters<typeof worker>[0]['Records'][number]] })).toEqual({
    batchItemFailures: [],
  });
});
