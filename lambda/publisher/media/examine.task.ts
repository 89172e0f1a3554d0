// The thread that examines files for `examineOnThread`, several at a time.
import { parentPort } from 'node:worker_threads';
import { ToolError } from '../ffmpeg/media-tool.ts';
import type { Examination, ThreadAnswer, ThreadRequest } from './examining-thread.ts';
import { MediaError } from './media-error.ts';
import { probeMedia } from './probe.ts';

const ending = new Map<number, AbortController>();

parentPort!.on('message', (request: ThreadRequest) => {
  if ('end' in request) ending.get(request.id)?.abort();
  else void examine(request).then(answer);
});

function answer(answered: ThreadAnswer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none
  parentPort!.postMessage(answered);
}

async function examine({ id, examine: { tools, sourceURL, claimed } }: Examination): Promise<ThreadAnswer> {
  const end = new AbortController();
  ending.set(id, end);
  try {
    return { id, facts: await probeMedia(tools, sourceURL, claimed, end.signal) };
  } catch (error) {
    return { id, ...described(error) };
  } finally {
    ending.delete(id);
  }
}

function described(error: unknown) {
  if (error instanceof MediaError) return { mediaError: { code: error.code, detail: error.detail } };
  return error instanceof ToolError ? { toolError: error.message } : { error };
}
