// When the local run has to end: asked by a signal, left alone by npm, or left by a part that it cannot do without.

const watchParentMs = 500;
/** A terminal sends Ctrl-C to npm and to us, and npm passes it on: two signals that a person sent as one. */
const sameKeyMs = 1000;

export interface Ending {
  /** Aborts when the end is asked for. */
  readonly signal: AbortSignal;
  readonly asked: Promise<void>;
  /** Ends the run because of an error. */
  fail(error: Error): void;
  /** @throws the error that ended the run, or the signal's reason */
  throwIfAsked(): void;
}

/** Asked for by SIGINT, SIGTERM or SIGHUP; a second Ctrl-C ends the process at once. Started by npm it also ends when npm is killed: nobody could press Ctrl-C any more. */
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
      const nowMs = performance.now();
      if (signal === 'SIGINT' && interruptedAtMs !== null && nowMs - interruptedAtMs > sameKeyMs) process.exit(130);
      if (signal === 'SIGINT') interruptedAtMs ??= nowMs;
      end();
    });
  }
  // Set by the script of `npm start`, before this program was loaded: npm may be gone by now.
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
