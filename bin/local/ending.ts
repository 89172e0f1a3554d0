// The end of the local run: by a signal, when npm is gone, or when a required part has ended.

const watchParentMs = 500;
/** One Ctrl-C arrives as two signals: the terminal sends one to npm and one to us, and npm forwards its own. */
const sameKeyMs = 1000;

export interface Ending {
  /** Aborts when the end is requested. Its reason is the error that ended the run, if there was one. */
  readonly signal: AbortSignal;
  /** Resolves when the end is requested. */
  readonly asked: Promise<void>;
  /** Ends the run because of an error. */
  fail(error: Error): void;
  /** @throws the error that ended the run, or an AbortError if the end was requested */
  throwIfAsked(): void;
}

/**
 * Handles SIGINT, SIGTERM and SIGHUP as a request to end the run. A second Ctrl-C ends the process at once. A run that
 * npm started also ends when npm is killed, because the user could not press Ctrl-C any more.
 */
export function watchForEnd(): Ending {
  const controller = new AbortController();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const end = (reason?: Error) => {
    controller.abort(reason);
    resolve();
  };
  let interruptedAtMs: number | null = null;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (signal === 'SIGINT') {
        const nowMs = performance.now();
        interruptedAtMs ??= nowMs;
        if (nowMs - interruptedAtMs > sameKeyMs) process.exit(130);
      }
      end();
    });
  }
  // The script of `npm start` sets this variable before the program is loaded. Later, npm may be gone already.
  const parent = process.env['LOCAL_PARENT_PID'];
  if (parent !== undefined) watchParent(Number(parent), end);
  return { signal: controller.signal, asked, fail: end, throwIfAsked: () => controller.signal.throwIfAborted() };
}

function watchParent(parent: number, end: () => void): void {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    end();
  }, watchParentMs);
  watch.unref();
}
