// When the local run has to end: asked by a signal, or left alone by npm.

const watchParentMs = 500;

/**
 * Resolves at SIGINT, SIGTERM or SIGHUP; a second SIGINT ends the process at once. Started by npm it also ends when npm is killed:
 * nobody could press Ctrl-C any more.
 */
export function untilAskedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    let asked = 0;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (signal === 'SIGINT' && asked++ > 0) process.exit(130);
        resolve();
      });
    }
    if (process.env['npm_lifecycle_event'] === undefined) return;
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      resolve();
    }, watchParentMs);
    watch.unref();
  });
}
