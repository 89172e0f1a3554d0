// A destination in front of `ffmpeg -listen`, which accepts one publisher: each connection gets its own recording.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startFfmpegIngest } from './ingests.ts';
import type { Ingest } from './ingests.ts';

export interface RecordingFront extends AsyncDisposable {
  /** Address and key to publish to. */
  readonly target: { readonly url: string; readonly streamKey: string };
  /** The number of publishers so far. */
  readonly connections: number;
  /** Breaks the connection with a reset. */
  reset(): void;
  /** Stops reading from the publisher, until `resume`. */
  pause(): void;
  resume(): void;
  /** The complete recordings, each with the arrival time of its publisher. */
  finish(): Promise<{ readonly file: string; readonly beganAtMs: number }[]>;
}

export async function startRecordingFront(tools: MediaTools, folder: string): Promise<RecordingFront> {
  const recordings: { ingest: Ingest; beganAtMs: number; publisher: Socket; recorder: Socket }[] = [];
  const unused: Ingest[] = [];
  let started = 0;
  const startNext = async () => {
    unused.push(await startFfmpegIngest(join(folder, `recording-${started++}.flv`), tools));
  };
  await startNext();
  const server = createServer((publisher) => {
    const ingest = unused.pop();
    // The next recorder is still starting. Until it runs, a publisher is refused and retries.
    if (!ingest) return void publisher.destroy();
    void startNext();
    const recorder = connect(Number(new URL(ingest.target.url).port), '127.0.0.1');
    recordings.push({ ingest, beganAtMs: Date.now(), publisher, recorder });
    publisher.on('error', () => recorder.end());
    recorder.on('error', () => publisher.destroy());
    publisher.pipe(recorder).pipe(publisher);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const last = () => recordings.at(-1)!;
  return {
    target: { url: `rtmp://127.0.0.1:${port}/live`, streamKey: 'test-key' },
    get connections() {
      return recordings.length;
    },
    reset() {
      last().publisher.resetAndDestroy();
      last().recorder.end();
    },
    pause: () => void last().publisher.unpipe().pause(),
    resume: () => void last().publisher.pipe(last().recorder),
    finish: async () => {
      const complete = [];
      for (const { ingest, beganAtMs } of recordings) complete.push({ file: await ingest.finish(), beganAtMs });
      return complete;
    },
    async [Symbol.asyncDispose]() {
      for (const { ingest, publisher } of recordings) {
        publisher.destroy();
        ingest[Symbol.dispose]();
      }
      for (const ingest of unused) ingest[Symbol.dispose]();
      server.close();
      await once(server, 'close');
    },
  };
}
