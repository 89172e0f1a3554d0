// A worker of the queue 'media' for tests: in this process, or in one of its own that can be killed.
import { spawn } from 'node:child_process';
import { createPool } from '../../../lambda/data/queryable.ts';
import { createPostgresCommandQueue } from '../../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createFileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import { createMediaWorker } from '../../../lambda/publisher/media-worker.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { startConsumer } from '../../ports/consumer.ts';

export interface PreparingWorker {
  readonly databaseURL: string;
  readonly objectsFolder: string;
  /** What every upload is made of. */
  readonly sourceURL: string;
  /** As whom it takes commands. */
  readonly consumer: string;
  readonly tools: MediaTools;
}

/** @param onPrepared told of each segment: its upload and its number */
export function startPreparing(
  { databaseURL, objectsFolder, sourceURL, consumer, tools }: PreparingWorker,
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
    encoderOf: async () => ({ codec: 'libx264', preset: 'ultrafast' }),
    random: () => 0.5,
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

/** It sends a message for each segment. */
export function spawnPreparing(worker: PreparingWorker) {
  const script = `
    import { startPreparing } from ${JSON.stringify(import.meta.url)};
    startPreparing(JSON.parse(process.argv[1]), (segment) => process.send(segment));`;
  return spawn(process.execPath, ['--input-type=module', '-e', script, JSON.stringify(worker)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}
