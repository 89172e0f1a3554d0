// A reporter that names the running tests every minute, so that the name of a hanging test is known.
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const everyMs = 60_000;

export class StillRunning implements Reporter {
  /** The running test of each file. */
  readonly #running = new Map<string, { readonly sinceMs: number; test: string }>();
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(): void {
    this.#timer = setInterval(() => this.#say(), everyMs).unref();
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#running.set(moduleId, { sinceMs: performance.now(), test: '' });
  }

  onTestCaseReady({ module, fullName }: TestCase): void {
    const running = this.#running.get(module.moduleId);
    if (running) running.test = ` > ${fullName}`;
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#running.delete(moduleId);
  }

  #say(): void {
    for (const [file, { sinceMs, test }] of this.#running) {
      const seconds = Math.round((performance.now() - sinceMs) / 1000);
      console.log(`… ${relative(process.cwd(), file)}${test} (the file for ${seconds} s)`);
    }
  }
}
