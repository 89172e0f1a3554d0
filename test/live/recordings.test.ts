// Recordings: from the segments of a session to an upload that is prepared, and to its file. Nothing is encoded.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { contentFacts } from '../../lambda/data/media/uploads.ts';
import { liveSegmentKey } from '../../lambda/domain/media/object-keys.ts';
import { renditionOf } from '../../lambda/domain/playout/rendition.ts';
import { openRecording } from '../../lambda/imports/recording-source.ts';
import type { LiveSegment } from '../../lambda/live/segment-encoder.ts';
import { recordSessions } from '../../lambda/orchestration/live/record-sessions.ts';
import { endSession } from '../../lambda/orchestration/live/takeovers.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { encoderKind } from '../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import { probeMedia } from '../../lambda/publisher/media/probe.ts';
import { segmentKey } from '../../lambda/publisher/prepared/segment-format.ts';
import { recordedSegment } from '../../lambda/publisher/preparing/recorded-segments.ts';
import { startWorker } from '../imports/worker.ts';
import { startPreparing } from '../publisher/preparing/preparing-worker.ts';
import { actorsOn, startOptions } from '../support/actors.ts';
import { liveIngestOn } from '../support/live-ingest-role.ts';
import { pretendPrepared, pretendReceived } from '../support/live-inputs.ts';
import { fastEncoder } from '../support/media-samples.ts';
import { samplesOfFile } from '../support/test-samples.ts';
import { testService } from '../support/service.ts';
import { beeps, flashes } from '../support/sync-clip.ts';
import { clip, format, messagesOf, onTime, send } from './contributor.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, create, data, startedStream, user } = actorsOn(service);
const { transaction } = liveIngestOn(service);
const samples = samplesOfFile();
vi.setConfig({ testTimeout: 60_000 });
const patiently = { timeout: 30_000, interval: 50 };
const never = new AbortController().signal;
/** The segments of the test session, which lasts 22 s. */
const storedSegments = 11;

let folder: string;
let segments: readonly LiveSegment[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordings-'));
  const tags = await clip(tools, { seconds: 2 * storedSegments + 0.3 });
  ({ segments } = await send(tools, onTime(tags)));
  expect(segments).toHaveLength(storedSegments);
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

/** Stores the segments of the test session as those of a session. */
async function store(sessionID: string): Promise<void> {
  for (const { number, bytes } of segments)
    await service.objects().write(liveSegmentKey(sessionID, 'pictures', number), bytes, { contentType: 'any' });
}

/** The file of a recording. */
async function fileOf(firstSegment: number, segmentCount: number): Promise<string> {
  const session_id = 'lse_file';
  await store(session_id);
  const recorded = { session_id, format, first_segment: firstSegment, segment_count: segmentCount };
  const bytes = await buffer(openRecording(service.objects(), recorded).body);
  const path = join(folder, `${firstSegment}.mp4`);
  await writeFile(path, bytes);
  return path;
}

const claimed = { mimeType: null, type: null, fileSize: null };
const every = (count: number) => Array.from({ length: count }, (_, second) => second + 0.4);
const decodeErrors = async (path: string) =>
  (await promisify(execFile)(tools.ffmpegPath, ['-v', 'error', '-i', path, '-f', 'null', '-'])).stderr;

describe('the file of a recording', () => {
  it.each([
    [0, 11],
    [4, 7],
  ])('from segment %i on has %i segments: exactly their time, pictures and sound in sync', async (first, count) => {
    const path = await fileOf(first, count);
    const facts = await probeMedia(tools, path, claimed, never);
    expect(facts).toMatchObject({ kind: 'video', videoCodec: 'h264', audioCodec: 'aac', framerate: 30 });
    expect(facts.reading).toEqual({ leadSeconds: 2 / 30 });
    expect(Math.round(facts.durationSeconds! * 30)).toBe(count * 60);
    expect(await decodeErrors(path)).toBe('');
    const seen = await flashes(tools, path, 30);
    const heard = await beeps(tools, path);
    expect(seen.map((time) => Math.round(time * 10) / 10)).toEqual(every(2 * count));
    expect(heard).toHaveLength(seen.length);
    expect(Math.max(...seen.map((time, index) => Math.abs(time - heard[index]!)))).toBeLessThan(0.021);
  });
});

describe('segments of a recorded rendition', () => {
  it('have the messages of the session, at their places', async () => {
    await store('lse_a');
    const recording = { session_id: 'lse_a', format, first_segment: 4, segment_count: 7 };
    const rendition = renditionOf('content', { kind: 'video', durationSeconds: 14 }, format);
    const bytes = await recordedSegment(service.objects(), recording, { rendition, segment: 0 });
    const made = messagesOf({ bytes });
    expect(made.header).toMatchObject({ firstGroup: 0, groupCount: 420, gopFrames: 60, framesPerSecond: 30 });
    const wanted = segments.slice(4).flatMap((segment) => messagesOf(segment).groups);
    expect(made.groups).toEqual(wanted);
  });
});

let streamID: string;
beforeEach(async () => {
  streamID = await startedStream();
  await pretendPrepared(service, streamID);
  await service.pool().query(`update streams set anchored_at = anchored_at - interval '1 hour'`);
});

const sessionsOf = async (id: string) => (await call('GET', `/live-inputs/${id}/sessions`)).body.data;
const record = (limitFactor = 100) => recordSessions(service.pool(), { ...startOptions, limitFactor });

/** A session that a takeover has shown for 18 s, from its third segment on. */
async function takenOver(more: object = {}) {
  const id = await create('/live-inputs', { name: 'Studio', streamID, record: true, ...more });
  const sessionID = await pretendReceived(service, id, 2 * storedSegments);
  await service.pool().query('update live_sessions set encoder = $1', [encoderKind(fastEncoder)]);
  await store(sessionID);
  const { body } = await call('POST', `/streams/${streamID}/takeovers`, { liveInputID: id });
  await service.pool().query('update takeover_intervals set first_segment = 2');
  return { id, sessionID, takeoverID: body.takeoverID as string };
}

const end = (sessionID: string) =>
  transaction(async (tx) => endSession(tx, sessionID, { reason: 'disconnected', stored: null, now: await tx.now() }));

describe('a takeover whose input records', () => {
  it('becomes an upload that is prepared for the stream without an encoder, and has a file', async () => {
    const { id, sessionID, takeoverID } = await takenOver();
    await record();
    expect((await sessionsOf(id))[0].recordings).toEqual([]);
    await end(sessionID);
    await record();
    await record();
    const [session] = await sessionsOf(id);
    expect(session).toMatchObject({ id: sessionID, endReason: 'disconnected' });
    const uploadID = session.recordings[0].uploadID;
    expect(session.recordings).toEqual([{ takeoverID, uploadID, seconds: 22, isCut: false, refusal: null }]);

    const imports = startWorker(service.pool(), service.objects());
    const prepared: string[] = [];
    const media = startPreparing(
      {
        databaseURL: service.databaseURL(),
        objectsFolder: service.folder(),
        sourceURL: samples.urlOf(await fileOf(0, storedSegments)),
        consumer: 'media',
        tools,
        encoder: { codec: 'libx264', preset: 'veryfast' },
      },
      (segment) => prepared.push(segment),
    );
    const formats = async () => (await data().renditions.prepared([uploadID], [format])).formats.get(uploadID);
    await expect.poll(formats, patiently).toEqual([format]);
    await media.stop();
    await imports.stop();
    expect(prepared).toEqual([`${uploadID} 0`, `${uploadID} 1`]);
    const { body: upload } = await call('GET', `/uploads/${uploadID}`);
    expect(upload).toMatchObject({ uploaded: true, probeState: 'completed', type: 'video', mimeType: 'video/mp4' });
    expect(upload.name).toMatch(/^Studio \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect(upload.durationSeconds).toBeCloseTo(22, 3);

    const row = (await data().uploads.find(user().id, uploadID))!;
    const { kind, durationSeconds } = contentFacts(row);
    const rendition = renditionOf(row.content_hash!, { kind, durationSeconds: durationSeconds! }, format);
    const stored = await Promise.all(
      [0, 1].map(async (segment) => buffer(await service.objects().read(segmentKey(rendition, segment)))),
    );
    const wanted = segments.flatMap((segment) => messagesOf(segment).groups);
    expect(stored.flatMap((bytes) => messagesOf({ bytes }).groups)).toEqual(wanted);
    const file = join(folder, 'stored.mp4');
    await writeFile(file, await buffer(await service.objects().read(row.object_key)));
    expect(await decodeErrors(file)).toBe('');
    expect((await flashes(tools, file, 30)).length).toBe(22);
  });

  it('is named by the timeline with its upload, as soon as that is examined', async () => {
    const { id, sessionID } = await takenOver();
    await end(sessionID);
    await record();
    const [{ recordings }] = await sessionsOf(id);
    await service.pool().query(
      `insert into aired_frames (
         stream_id, anchored_at, replica_id, epoch, from_frame, to_frame, bytes, stand_in_upload_id)
       select s.id, s.anchored_at, 'replica', 1, v.from_frame + n * 30, v.from_frame + n * 30 + 30, 1, v.session_id
       from streams s, takeover_intervals v, generate_series(0, 5, 5) n`,
    );
    const { rows } = await service
      .pool()
      .query(
        `select anchored_at + make_interval(secs => from_frame / 30.0 - 60) as from from streams, takeover_intervals`,
      );
    const shown = async () => {
      const path = `/streams/${streamID}/timeline?from=${rows[0].from.toISOString()}`;
      const parts = (await call('GET', path)).body.data.flatMap(({ aired }: { aired: object[] | null }) => aired ?? []);
      return parts.map((part: Record<string, unknown>) => [part['liveSessionID'], part['liveUploadID']]);
    };
    await expect.poll(shown, { timeout: 15_000 }).toHaveLength(2);
    expect(await shown()).toEqual([
      [sessionID, null],
      [sessionID, null],
    ]);
    const { uploadID } = recordings[0];
    await service.pool().query(`update uploads set probe_state = 'completed' where id = $1`, [uploadID]);
    expect(await shown()).toEqual([
      [sessionID, uploadID],
      [sessionID, uploadID],
    ]);
  });

  it('that is handed back is recorded twenty seconds later, while the session goes on', async () => {
    const { id } = await takenOver();
    await call('POST', `/streams/${streamID}/hand-back`);
    await service.pool().query('update takeover_intervals set to_frame = from_frame + 200');
    await record();
    expect((await sessionsOf(id))[0].recordings).toEqual([]);
    await service.pool().query(`update takeovers set ended_at = now() - interval '21 seconds'`);
    await record();
    await record();
    expect((await sessionsOf(id))[0].recordings).toMatchObject([{ seconds: 12, refusal: null }]);
  });

  it('is refused if there is no room, with the limit in words, and no upload is left', async () => {
    const { id, sessionID } = await takenOver();
    await end(sessionID);
    await record(0.000_000_1);
    const [{ recordings }] = await sessionsOf(id);
    expect(recordings).toMatchObject([{ uploadID: null, refusal: expect.stringContaining('This would exceed') }]);
    const { rows } = await service.pool().query('select from imports');
    expect(rows).toHaveLength(0);
  });

  it('is not recorded if nothing was shown, or if the input does not record', async () => {
    const shownNothing = await takenOver();
    await service.pool().query('update takeover_intervals set to_frame = from_frame');
    await end(shownNothing.sessionID);
    await record();
    expect((await sessionsOf(shownNothing.id))[0].recordings).toEqual([]);
    await service.pool().query('update takeovers set ended_at = now()');
    const other = await takenOver({ record: false });
    await end(other.sessionID);
    await record();
    expect((await sessionsOf(other.id))[0].recordings).toEqual([]);
    expect(await data().liveRecordings.lockDue([])).toBeNull();
  });

  it('is recorded although another session cannot be', async () => {
    const broken = await takenOver();
    await end(broken.sessionID);
    await service.pool().query(`update live_sessions set format = 'nonsense', ended_at = now() - interval '1 min'`);
    streamID = await startedStream();
    await pretendPrepared(service, streamID);
    await service
      .pool()
      .query(`update streams set anchored_at = anchored_at - interval '1 hour' where id = $1`, [streamID]);
    const { id, sessionID } = await takenOver();
    await end(sessionID);
    await expect(record()).rejects.toThrow(/nonsense/);
    expect((await sessionsOf(id))[0].recordings).toMatchObject([{ isCut: false, refusal: null }]);
  });

  it('of a stream that was stopped is recorded up to its last segment', async () => {
    const { id, sessionID } = await takenOver();
    await service.pool().query('update streams set anchored_at = null');
    await end(sessionID);
    await record();
    expect((await sessionsOf(id))[0].recordings).toMatchObject([{ seconds: 22, isCut: false }]);
  });

  it('fails as an upload if its segments are gone, for a reason in words', async () => {
    const { id, sessionID } = await takenOver();
    await end(sessionID);
    await record();
    await service.objects().delete(liveSegmentKey(sessionID, 'pictures', 3));
    const imports = startWorker(service.pool(), service.objects());
    const [{ recordings }] = await sessionsOf(id);
    const look = async () => (await call('GET', `/uploads/${recordings[0].uploadID}`)).body.externalSource;
    await expect.poll(async () => (await look()).state, patiently).toBe('failed');
    await imports.stop();
    expect((await look()).failure.code).toBe('recording_gone');
  });
});
