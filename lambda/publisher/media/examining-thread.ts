// Examines files on a thread of its own, so that starting tools does not delay streams that are sent by this process.
// A thread that starts a process is blocked until it runs: for some milliseconds, or tens of them on a busy machine.
import { Worker } from 'node:worker_threads';
import { ToolError } from '../ffmpeg/media-tool.ts';
import { MediaError } from './media-error.ts';
import type { MediaErrorCode } from './media-error.ts';
import type { MediaTools } from './media-tools.ts';
import type { ClaimedMedia, MediaFacts } from './probe.ts';

/** A file that the thread is to examine. */
export interface Examination {
  readonly id: number;
  readonly examine: { readonly tools: MediaTools; readonly sourceURL: string; readonly claimed: ClaimedMedia };
}

/** A request to the thread: to examine a file, or to end an examination. */
export type ThreadRequest = Examination | { readonly id: number; readonly end: true };

/** An answer of the thread. Messages lose the class of an error, so each class has a member of its own. */
export type ThreadAnswer = { readonly id: number } & (
  | { readonly facts: MediaFacts }
  | { readonly mediaError: { readonly code: MediaErrorCode; readonly detail: string } }
  | { readonly toolError: string }
  | { readonly error: unknown }
);

/** The program of the thread. In the bundle it has a folder of its own. */
const path = import.meta.url.endsWith('.ts') ? './examine.task.ts' : './examining/index.mjs';
const program = new URL(path, import.meta.url);
/** A report of ffprobe is at most a MiB. */
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };

/** The thread, from the first examination on; null after it has ended unexpectedly. */
let thread: ExaminingThread | null = null;

/** Calls `probeMedia` on the thread. @throws the errors of `probeMedia` */
export async function examineOnThread(
  tools: MediaTools,
  sourceURL: string,
  claimed: ClaimedMedia,
  signal: AbortSignal,
): Promise<MediaFacts> {
  signal.throwIfAborted();
  thread ??= new ExaminingThread(() => (thread = null));
  const answer = await thread.ask({ tools, sourceURL, claimed }, signal);
  signal.throwIfAborted();
  if ('facts' in answer) return answer.facts;
  if ('mediaError' in answer) throw new MediaError(answer.mediaError.code, answer.mediaError.detail);
  if ('toolError' in answer) throw new ToolError(answer.toolError);
  throw answer.error;
}

class ExaminingThread {
  readonly #worker = new Worker(program, { resourceLimits, execArgv: [] });
  readonly #waiting = new Map<number, (answer: ThreadAnswer) => void>();
  #lastID = 0;

  /** @param onBroken called if the thread ends unexpectedly */
  constructor(onBroken: () => void) {
    this.#worker.on('message', (answer: ThreadAnswer) => this.#waiting.get(answer.id)?.(answer));
    let cause: unknown;
    this.#worker.on('error', (error) => (cause = error));
    this.#worker.once('exit', () => {
      onBroken();
      const error = new Error('The thread that examines files has ended.', { cause });
      for (const [id, answer] of this.#waiting) answer({ id, error });
    });
    this.#worker.unref();
  }

  async ask(examine: Examination['examine'], signal: AbortSignal): Promise<ThreadAnswer> {
    const id = ++this.#lastID;
    const end = () => this.#post({ id, end: true });
    const { promise, resolve } = Promise.withResolvers<ThreadAnswer>();
    this.#waiting.set(id, resolve);
    this.#worker.ref();
    this.#post({ id, examine });
    signal.addEventListener('abort', end);
    const answer = await promise;
    signal.removeEventListener('abort', end);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    return answer;
  }

  #post(request: ThreadRequest): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none
    this.#worker.postMessage(request);
  }
}
