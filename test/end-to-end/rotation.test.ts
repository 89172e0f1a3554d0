// A broadcast that replaces another while its stream continues: on a real local run, with counting pictures.
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { until, uploadFile, watchChannels } from '../support/local-run.ts';
import { broadcastsAtYoutube, consentAtYoutube } from '../support/local-youtube.ts';
import { mediaSample } from '../support/media-samples.ts';
import { judgeRecording, steps } from '../support/recording.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const run = testLocalRun('--no-demo');
const channel = 'UC-local-loops';
const rotateAfterMinutes = 60;
/** Length of `counting.mp4`. */
const itemFrames = 60;
const itemSeconds = 2;

test('a rotation at an item’s end leaves the ingest without gap or repetition, and the channel live', async () => {
  const { api } = run;
  const folder = await mkdtemp(join(tmpdir(), 'rotation-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { id, settingsID } = await liveStream();
  const file = join(folder, 'recording.flv');
  const recording = await record(file);

  await beginToRotate(id, settingsID);
  await until(async () => (await dueOf(id)) !== null && (await broadcastsOf(id)).length === 2);
  const { dueAt, anchoredAt } = (await dueOf(id))!;
  // The rotation is planned for the end of an item.
  expect(((dueAt.getTime() - anchoredAt.getTime()) / 1000) % itemSeconds).toBeCloseTo(0, 2);
  expect(await broadcastsOf(id)).toMatchObject([
    { n: 2, phase: 'prepared' },
    { n: 1, phase: 'live' },
  ]);

  await until(async () => (await broadcastsOf(id))[1].phase === 'ended');
  expect(await broadcastsOf(id)).toMatchObject([{ phase: 'live' }, { phase: 'ended' }]);
  const [before, after] = await broadcastsAtYoutube(run, 'Rotating');
  expect([before!.lifeCycle, after!.lifeCycle]).toEqual(['complete', 'live']);
  // One broadcast is live at every instant, and the next one begins no sooner than planned.
  expect(timeOf(after!.actualStartTime)).toBeLessThanOrEqual(timeOf(before!.actualEndTime));
  expect(timeOf(after!.actualStartTime)).toBeGreaterThan(dueAt.getTime());
  // The worker closes the broadcast in one step, and records in the next that nothing is left to do.
  await until(async () => (await api('GET', `/streams/${id}`)).mirror.state === 'done');
  expect(await api('GET', `/streams/${id}`)).toMatchObject({ state: 'active' });

  await recording.end();
  const tools = await findMediaTools(process.env);
  const judged = await judgeRecording(tools, file);
  expect(judged).toMatchObject({ parameterSets: 1, decodeErrors: '' });
  expect(steps(judged.video.dts)).toEqual([33, 34]);
  expect(steps(judged.audio.dts)).toEqual([21, 22]);
  // The last picture may be shown after one that has not arrived yet.
  const numbers = (await numbersIn(tools.ffmpegPath, file)).slice(0, -3);
  // From before the planned time of the rotation until after its end.
  expect(numbers.length / 30).toBeGreaterThan((timeOf(before!.actualEndTime) - dueAt.getTime()) / 1000);
  expect(numbers.slice(1)).toEqual(numbers.slice(0, -1).map((number) => (number + 1) % itemFrames));
  expect(await watchChannels(run)).toMatchObject([{ live: true, connections: 1, timestampRegressions: 0 }]);
});

/** A live stream of counting pictures on the channel, with two equal items. */
async function liveStream(): Promise<{ id: string; settingsID: string }> {
  const { api } = run;
  const { id: connectionID, authorizeURL } = await api('POST', '/connections', { platform: 'youtube' });
  await consentAtYoutube(authorizeURL, channel);
  const { id: settingsID } = await api('POST', '/managed-settings', {
    connectionID,
    name: 'Rotating',
    titleTemplate: 'Rotating {n}',
    privacy: 'private',
    madeForKids: false,
  });
  const { id } = await api('POST', '/streams', {
    streamDestination: 'managed',
    managedSettingsID: settingsID,
    quality: 'q_720p',
    framerate: 'f_30',
    streamBackend: 'manifest',
  });
  const uploadID = await uploadFile(api, await mediaSample('counting.mp4'), 'video/mp4');
  const { id: playlistID } = await api('POST', '/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  const operations = [1, 2].map(() => ({ op: 'add', uploadID }));
  await api('POST', `/playlists/${playlistID}/operations`, { operations });
  await api('POST', `/streams/${id}/start`);
  await until(async () => (await broadcastsOf(id))[0]?.phase === 'live');
  return { id, settingsID };
}

const broadcastsOf = async (id: string) => (await run.api('GET', `/streams/${id}/broadcasts`)).data;
const timeOf = (text: string | null) => new Date(text!).getTime();

/** Makes the broadcast nearly as old as the limit, and requests a rotation. */
async function beginToRotate(id: string, settingsID: string): Promise<void> {
  // Rotations begin up to a fiftieth earlier than requested: this one in 18 to 90 s.
  const aliveSeconds = rotateAfterMinutes * 60 - 90;
  await query(`update broadcasts set live_at = now() - make_interval(secs => $2) where stream_id = $1`, [
    id,
    aliveSeconds,
  ]);
  await run.api('PATCH', `/managed-settings/${settingsID}`, { rotateAfterMinutes });
}

async function dueOf(id: string): Promise<{ dueAt: Date; anchoredAt: Date } | null> {
  const [row] = await query(
    `select d.due_at, s.anchored_at from due_times d join streams s on s.id = d.stream_id
     where d.stream_id = $1 and d.kind = 'broadcast_rotation'`,
    [id],
  );
  return row ? { dueAt: row.due_at, anchoredAt: row.anchored_at } : null;
}

async function query(text: string, values: readonly unknown[]) {
  const pool = createPool({ connectionString: run.connection.databaseURL, max: 1 });
  try {
    return (await pool.query(text, [...values])).rows;
  } finally {
    await pool.end();
  }
}

/** Records the ingest's output as a viewer does, from now on. */
async function record(file: string): Promise<{ end(): Promise<void> }> {
  const [live] = await watchChannels(run);
  const closing = new AbortController();
  const answer = await fetch(`${run.connection.siteURL}/watch/channels/${live!.id}.flv`, { signal: closing.signal });
  expect(answer.status).toBe(200);
  const written = createWriteStream(file);
  const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
  body.on('error', () => written.end());
  body.pipe(written);
  return {
    async end() {
      closing.abort();
      await finished(written);
    },
  };
}

/** The number in each picture of a recording of `counting.mp4`. */
async function numbersIn(ffmpegPath: string, file: string): Promise<number[]> {
  // Four pixels by two: 8 bytes of luma, and 4 of colour.
  const scale = ['-i', file, '-vf', 'scale=4:2:flags=area', '-fps_mode', 'passthrough', '-pix_fmt', 'yuv420p'];
  const args = ['-nostdin', '-v', 'error', ...scale, '-f', 'rawvideo', '-'];
  const { stdout } = await promisify(execFile)(ffmpegPath, args, { encoding: 'buffer', maxBuffer: 1024 ** 2 });
  const digit = (luma: number) => Math.round((luma - 16) / 20);
  return Array.from({ length: stdout.length / 12 }, (_, index) => {
    const at = index * 12;
    return digit(stdout[at + 3]!) * 10 + digit(stdout[at]!);
  });
}
