// A reporter of tests: every minute the tests that still run, so that one that hangs is known by name even where the run is ended from outside.
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const everyMs = 60_000;

export class StillRunning implements Reporter {
  readonly #since = new Map<TestModule, number>();
  readonly #current = new Map<TestModule, TestCase>();
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(): void {
    this.#timer = setInterval(() => this.#say(), everyMs).unref();
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  onTestModuleQueued(module: TestModule): void {
    this.#since.set(module, performance.now());
  }

  onTestCaseReady(test: TestCase): void {
    this.#current.set(test.module, test);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#since.delete(module);
    this.#current.delete(module);
  }

  #say(): void {
    for (const [module, sinceMs] of this.#since) {
      const test = this.#current.get(module);
      const where = [relative(process.cwd(), module.moduleId), ...(test ? [test.fullName] : [])].join(' > ');
      console.log(`… ${where}, its file for ${Math.round((performance.now() - sinceMs) / 1000)} s`);
    }
  }
}
