// A worker of the queue 'media' for tests: in this process, or in a separate one that tests can kill.
import { spawn } from 'node:child_process';
import { createPool } from '../../../lambda/data/shared/queryable.ts';
import { createPostgresCommandQueue } from '../../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createFileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import type { EncoderSettings } from '../../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import { createMediaWorker } from '../../../lambda/publisher/media-worker.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { startConsumer } from '../../ports/consumer.ts';
import { fastEncoder } from '../../support/media-samples.ts';

export interface PreparingWorker {
  readonly databaseURL: string;
  readonly objectsFolder: string;
  /** The address of the media of every upload. */
  readonly sourceURL: string;
  /** The worker's name as a consumer of commands. */
  readonly consumer: string;
  readonly tools: MediaTools;
  readonly encoder?: EncoderSettings;
  /** Aborts when the worker must return its command. */
  readonly returning?: AbortSignal;
}

/** Starts a worker in this process. @param onPrepared called for each segment, with `UPLOAD NUMBER` */
export function startPreparing(
  { databaseURL, objectsFolder, sourceURL, consumer, tools, encoder = fastEncoder, ...ending }: PreparingWorker,
  onPrepared: (segment: string) => void,
): { stop(): Promise<void> } {
  const pool = createPool({ connectionString: databaseURL, max: 4 });
  const store = createFileObjectStore({
    folder: objectsFolder,
    baseURL: 'http://127.0.0.1/objects',
    signingKey: 'test',
  });
  const objects = { ...store, presignGet: async () => sourceURL };
  const log = (event: string, { uploadID, segment }: Record<string, unknown>) => {
    if (event === 'segment_prepared') onPrepared(`${String(uploadID)} ${String(segment)}`);
  };
  const handle = createMediaWorker({
    pool,
    objects,
    tools,
    encoderOf: async () => encoder,
    ...ending,
    random: () => 0.5,
    limitFactor: 100,
    log,
  });
  const consumption = startConsumer(createPostgresCommandQueue({ pool, consumer, log }), 'media', handle, {
    batchSize: 1,
  });
  return {
    stop: async () => {
      await consumption.stop();
      await pool.end();
    },
  };
}

/** Starts a worker in a separate process, which sends a message for each segment. */
export function spawnPreparing(worker: PreparingWorker) {
  const script = `
    import { startPreparing } from ${JSON.stringify(import.meta.url)};
    startPreparing(JSON.parse(process.argv[1]), (segment) => process.send(segment));`;
  return spawn(process.execPath, ['--input-type=module', '-e', script, JSON.stringify(worker)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}
