// The work of tasks: an import worker fetches an upload, a media worker prepares it, and agents send its stream.
import { readFile } from 'node:fs/promises';
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'pg';
import { startRtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import { sendFile, startSource } from '../imports/source-server.ts';
import { createLoop, until } from '../support/local-run.ts';
import type { ApiClient } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { rtmpTarget } from './client-session.ts';
import type { Task } from './task.ts';

/** Programs of ECS that the test runs. */
export type TaskName = 'ManifestTask' | 'FfmpegTask' | 'ImportWorkers' | 'MediaWorkers';

export interface TaskScenario {
  readonly api: ApiClient;
  readonly databaseURL: string;
  /** A started stream that waits for an agent of the ffmpeg backend. */
  readonly waitingStreamID: string;
  /** Starts a task. Here tasks may reach local addresses, which the stage forbids them. */
  readonly start: (name: TaskName) => Promise<Task>;
  /** Whether a task has made such a call so far. */
  readonly hasCalled: (name: TaskName, action: string) => boolean;
  /** Done while a prepared stream is on air. It calls the function it gets to see that the stream still is. */
  readonly whileOnAir: (assertOnAir: () => Promise<void>) => Promise<void>;
}

/**
 * Time for which the emulator still sends commands to the ended media worker, as its last request would have waited.
 */
const abandonedPollMs = 21_000;
/** A public address for API and database, until the test points them to this machine. */
const publicURL = 'https://files.example.com/clip.mp4';

export async function importPrepareAndPublish(scenario: TaskScenario): Promise<void> {
  const { api, databaseURL, waitingStreamID, start, hasCalled, whileOnAir } = scenario;
  const clip = await readFile(await mediaSample('plain.mp4'));
  await using source = await startSource((request, response) =>
    sendFile(clip, request, response, { headers: { 'content-type': 'video/mp4' } }),
  );
  const sink = await startRtmpSink({ port: 0 });
  const pool = new Pool({ connectionString: databaseURL });
  // One at a time: health checks use one port, which each container has for itself.
  const tasks: Task[] = [];
  const begin = async (name: TaskName) => {
    const task = await start(name);
    tasks.push(task);
    return task;
  };
  const end = async (task: Task) => {
    tasks.splice(tasks.indexOf(task), 1);
    await task.stop();
  };
  const state = async (id: string) => (await api('GET', `/streams/${id}`)).state as string;
  /** Resolves once the platform reports that a stream plays, and the ingest has pictures of it. */
  const plays = async (streamID: string) => {
    await until(async () => (await state(streamID)) === 'active');
    const { destinationID } = await api('GET', `/streams/${streamID}`);
    await until(async () =>
      sink.channels().some(({ app, live, videoFrames }) => app === destinationID && live && videoFrames > 0),
    );
  };
  /** Resolves once the ingest has further pictures of a stream that never left it. */
  const assertOnAir = async (streamID: string) => {
    const { state: now, destinationID } = await api('GET', `/streams/${streamID}`);
    assert.equal(now, 'active');
    const frames = () => sink.channels().find(({ app }) => app === destinationID)?.videoFrames ?? 0;
    const before = frames();
    assert.ok(before >= framesBefore, 'the agent has connected to the ingest again');
    await until(async () => frames() > before + 30);
    framesBefore = frames();
  };
  let framesBefore = 0;
  try {
    await setTimeout(abandonedPollMs);
    const { id: uploadID } = await api('POST', '/uploads/import', { url: publicURL });
    await pool.query('update imports set url = $1', [source.url('/clip.mp4')]);
    const importing = await begin('ImportWorkers');
    await until(async () => (await api('GET', `/uploads/${uploadID}`)).externalSource.state === 'completed');
    await end(importing);
    const preparing = await begin('MediaWorkers');
    await until(async () => (await api('GET', `/uploads/${uploadID}`)).probeState === 'completed');

    await pool.query('update users set stream_backend_edit = true');
    const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' };
    const preparedStreamID = await createLoop(api, [uploadID], rtmpTarget, settings);
    await api('POST', `/streams/${preparedStreamID}/start`);
    // The API refuses to start a stream to this machine. No agent connects while the upload is being prepared.
    await pool.query('update destinations set url = $1 || id', [`rtmp://127.0.0.1:${sink.port}/`]);
    await until(async () => (await state(preparedStreamID)) === 'activating');
    await end(preparing);
    const prepared = await begin('ManifestTask');
    // The agent requests protection with its first stream.
    await until(async () => hasCalled('ManifestTask', 'ecs:UpdateTaskProtection'));
    await plays(preparedStreamID);
    await whileOnAir(() => Promise.race([assertOnAir(preparedStreamID), prepared.works]));
    await api('POST', `/streams/${preparedStreamID}/stop`);
    await until(async () => (await state(preparedStreamID)) === 'stopped');
    const { playlistIDs } = await api('GET', `/streams/${preparedStreamID}`);
    await api('DELETE', `/streams/${preparedStreamID}`);
    // It outlives the stream, and holds the upload.
    await api('DELETE', `/playlists/${playlistIDs[0]}`);
    await end(prepared);
    await setTimeout(abandonedPollMs);
    await api('DELETE', `/uploads/${uploadID}`);

    await begin('FfmpegTask');
    await until(async () => hasCalled('FfmpegTask', 's3:DeleteObject'));
    await until(async () => hasCalled('FfmpegTask', 'ecs:UpdateTaskProtection'));
    await plays(waitingStreamID);
    await api('POST', `/streams/${waitingStreamID}/stop`);
    await until(async () => (await state(waitingStreamID)) === 'stopped');
  } finally {
    await Promise.all(tasks.map((task) => task.stop()));
    await sink.close();
    await pool.end();
  }
}
