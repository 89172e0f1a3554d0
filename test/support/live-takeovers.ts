// Takeovers from a contributor to the recording of a destination, frame by frame. All frames have barcodes.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { slateAt } from '../../lambda/domain/live/slate.ts';
import { intervalAt } from '../../lambda/domain/live/takeover-intervals.ts';
import type { TakeoverInterval } from '../../lambda/domain/live/takeover-intervals.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { grantRights } from '../../lambda/migrate/database-roles.ts';
import { actorsOn } from './actors.ts';
import { makeBarcodeClip, readBarcodes } from './barcode-clip.ts';
import type { BarcodeFrame } from './barcode-clip.ts';
import { startFfmpegIngest } from './ingests.ts';
import type { Ingest } from './ingests.ts';
import { judgeRecording, steps } from './recording.ts';
import type { TestService } from './service.ts';
import { startTestAgent } from './test-agent.ts';
import { samplesOfFile } from './test-samples.ts';

const loopSeconds = 7;
const loopFrames = loopSeconds * 30;
const loopClip = 1;
const liveClip = 2;
const slateClip = 3;
const slateSeconds = 3;
/** Slates are repeated after whole groups of pictures. */
const slateFrames = 60;
/** The last frames of a recording are left out: they may lack pictures that come before them in time. */
const lastFrames = 4;

export interface LiveStream {
  readonly id: string;
  readonly ingest: Ingest;
}

/** The parts of a takeover for all tests of the calling file. */
export async function takeoversOn(service: TestService) {
  const tools = await findMediaTools(process.env);
  const { call, create, data, stream, upload } = actorsOn(service);
  const samples = samplesOfFile();
  let folder: string;
  let loopPath: string;
  let livePath: string;
  let slatePath: string;
  /** The object key of the upload whose media is the slate; null: there is none. */
  let slateKey: string | null = null;
  beforeAll(async () => {
    await grantRights(service.pool());
    folder = await mkdtemp(join(tmpdir(), 'takeovers-'));
    loopPath = await makeBarcodeClip(tools, join(folder, 'loop.mp4'), loopClip, loopSeconds);
    livePath = await makeBarcodeClip(tools, join(folder, 'live.mp4'), liveClip, 90, 50);
    slatePath = await makeBarcodeClip(tools, join(folder, 'slate.mp4'), slateClip, slateSeconds);
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true }));

  /** Starts a live ingest. @returns its process and its address */
  async function startIngest(): Promise<{ process: ChildProcess; url: string }> {
    const entry = join(import.meta.dirname, 'live-ingest-process.ts');
    const ingest = spawn(process.execPath, [entry, service.databaseURL(), service.folder()], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    onTestFinished(() => void ingest.kill('SIGKILL'));
    const [url] = (await once(ingest, 'message')) as [string];
    return { process: ingest, url };
  }

  /** A stream on the air that loops a clip, and is recorded. */
  async function streamOnAir(): Promise<LiveStream> {
    slateKey = null;
    const ingest = await startFfmpegIngest(join(folder, `${Math.random()}.flv`));
    onTestFinished(() => ingest[Symbol.dispose]());
    const { url: rtmpURL, streamKey } = ingest.target;
    const destinationID = await create('/destinations', { name: 'recorded', rtmpURL, streamKey });
    const videoUploadObjectID = await upload({ durationSeconds: loopSeconds });
    const format = { quality: 'q_720p', framerate: 'f_30' };
    const id = await create('/streams', { destinationID, streamBackend: 'manifest', ...format, videoUploadObjectID });
    const mediaURL = (key: string) => samples.urlOf(key === slateKey ? slatePath : loopPath);
    startTestAgent(service, { agentID: `agent_${id}`, tools, log: () => {}, mediaURL });
    await call('POST', `/streams/${id}/start`);
    await expect.poll(async () => (await stream(id)).state, { timeout: 60_000 }).toBe('active');
    return { id, ingest };
  }

  /** Makes an upload of a clip that is shown as a slate. @returns its id */
  async function slateUpload(): Promise<string> {
    const id = await upload({ durationSeconds: slateSeconds });
    const { rows } = await service.pool().query('select object_key from uploads where id = $1', [id]);
    slateKey = rows[0].object_key;
    return id;
  }

  /** Adds a live input to a stream. @returns its id and its key */
  async function inputOf(streamID: string, more: object = {}) {
    const settings = { stableSeconds: 4, graceSeconds: 2, delaySeconds: 8 };
    const { body } = await call('POST', '/live-inputs', { name: 'Studio', streamID, ...settings, ...more });
    return body as { readonly id: string; readonly key: string };
  }

  /** Starts a contributor. @param media options that change what it sends @returns its process */
  function contribute(url: string, key: string, media: readonly string[] = ['-c', 'copy']): ChildProcess {
    const sent = [...media, '-f', 'flv', `${url}/${key}`];
    const ffmpeg = spawn(tools.ffmpegPath, ['-nostdin', '-v', 'quiet', '-re', '-i', livePath, ...sent]);
    onTestFinished(() => void ffmpeg.kill('SIGKILL'));
    return ffmpeg;
  }

  /** All intervals of a stream in order, more than agents need. */
  async function intervalsOf(streamID: string): Promise<readonly TakeoverInterval[]> {
    const { rows } = await service.pool().query<TakeoverInterval>(
      `select v.session_id as "sessionID", v.from_frame::integer as "fromFrame", v.to_frame::integer as "toFrame",
         v.first_segment as "firstSegment",
         case when v.slate_upload_id is not null then jsonb_build_object('uploadID', v.slate_upload_id,
           'seconds', v.slate_seconds, 'toFrame', v.slate_to_frame) end as slate
       from takeovers t join takeover_intervals v on v.takeover_id = t.id
       where t.stream_id = $1 order by v.from_frame`,
      [streamID],
    );
    return rows;
  }

  /** Resolves once a stream has sent a frame of its run. */
  async function untilSent(streamID: string, frame: number): Promise<void> {
    const sent = async () => (await call('GET', `/streams/${streamID}/stats`)).body.framesSent;
    await expect.poll(sent, { timeout: 60_000 }).toBeGreaterThan(frame);
  }

  /** Resolves with the takeover that follows `count` earlier ones, once it is planned. */
  async function untilPlanned(streamID: string, count = 0): Promise<TakeoverInterval> {
    const planned = async () => (await intervalsOf(streamID)).length;
    await expect.poll(planned, { timeout: 60_000 }).toBeGreaterThan(count);
    return (await intervalsOf(streamID)).at(-1)!;
  }

  /** Resolves with the end of the last takeover, once it is known. */
  async function untilEndKnown(streamID: string): Promise<number> {
    const end = async () => (await intervalsOf(streamID)).at(-1)?.toFrame ?? null;
    await expect.poll(end, { timeout: 40_000 }).not.toBeNull();
    return (await end())!;
  }

  /**
   * Stops a stream, and expects its recording to have each frame on one connection: the contributor's in its
   * intervals, all others of the loop.
   * @param options.anewFrom the frame at which the loop plays from its beginning
   * @param options.mostBlack the most frames of the contributor that may be black
   */
  async function expectSeamless(
    { id, ingest }: LiveStream,
    { anewFrom = Infinity, mostBlack = 0 }: { readonly anewFrom?: number; readonly mostBlack?: number } = {},
  ): Promise<void> {
    const loopFrameAt = (at: number) => (at < anewFrom ? at : at - anewFrom) % loopFrames;
    const intervals = await intervalsOf(id);
    const { body: stats } = await call('GET', `/streams/${id}/stats`);
    expect(stats).toMatchObject({ droppedFrames: 0, reconnects: 0 });
    await call('POST', `/streams/${id}/stop`);
    const file = await ingest.finish();
    const recording = await judgeRecording(tools, file);
    expect(recording.decodeErrors).toBe('');
    expect(recording.parameterSets).toBe(1);
    expect(steps(recording.video.dts)).toEqual([33, 34]);
    expect(steps(recording.audio.dts).filter((step) => step < 20 || step > 23)).toEqual([]);
    const frames = (await readBarcodes(tools, file)).slice(0, -lastFrames);
    const black = frames.filter(isBlack);
    expect(black.length).toBeLessThanOrEqual(mostBlack);
    const clipOf = (each: BarcodeFrame) => ({ clip: isBlack(each) ? liveClip : each.clip });
    const shown = frames.map((each, at) => (intervalAt(intervals, at) ? clipOf(each) : each));
    const wanted = frames.map((_, at) => {
      if (intervalAt(intervals, at)) return { clip: liveClip };
      const slate = slateAt(intervals, at);
      return slate
        ? { clip: slateClip, frame: (at - slate.fromFrame) % slateFrames }
        : { clip: loopClip, frame: loopFrameAt(at) };
    });
    expect(shown).toEqual(wanted);
    expect(frames.length).toBeGreaterThan(intervals.at(-1)!.toFrame!);
    for (const { fromFrame, toFrame } of intervals) {
      const sent = frames.slice(fromFrame, toFrame!).filter((each) => !isBlack(each));
      const live = sent.map(({ frame }) => frame);
      const uneven = live.slice(1).filter((frame, index) => frame !== live[index]! + 1);
      // A picture of the contributor that arrives late is shown a frame later, and the next one catches up.
      expect(uneven.length).toBeLessThan(6);
    }
  }

  return {
    call,
    contribute,
    data,
    expectSeamless,
    inputOf,
    intervalsOf,
    slateUpload,
    startIngest,
    streamOnAir,
    untilEndKnown,
    untilPlanned,
    untilSent,
  };
}

/** Whether a frame has no barcode, as no clip has the number 0. */
function isBlack({ clip }: BarcodeFrame): boolean {
  return clip === 0;
}
