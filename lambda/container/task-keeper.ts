// Keeps ECS from stopping a task while it has work of any kind.
import type { Log } from '../log.ts';
import type { EcsTask } from './ecs-task.ts';

export class TaskKeeper<Work extends string> {
  readonly #task: Pick<EcsTask, 'keepWhile'>;
  readonly #log: Log;
  readonly #underWay = new Map<Work, number>();
  /** Whether the last request to ECS was to keep the task. */
  #isAsked = false;
  /** Requests are sent one after the other. If two were sent at once, ECS could process the older one last. */
  #asking: Promise<void> = Promise.resolve();

  constructor(task: Pick<EcsTask, 'keepWhile'>, log: Log) {
    this.#task = task;
    this.#log = log;
  }

  /**
   * Sets the amount of one kind of work. The first work asks ECS at once to keep the task. The end of work is only
   * reported with the next minute, as more work often follows within seconds.
   */
  setWork(work: Work, count: number): void {
    this.#underWay.set(work, count);
    if (this.#isWorking() && !this.#isAsked) this.#ask();
  }

  /** Renews the protection; call it every minute. A protection expires, and a request may have failed. */
  everyMinute(): void {
    this.#ask();
  }

  /** Resolves when ECS has answered all requests. */
  idle(): Promise<void> {
    return this.#asking;
  }

  #isWorking(): boolean {
    return this.#underWay.values().some((count) => count > 0);
  }

  #ask(): void {
    this.#isAsked = this.#isWorking();
    this.#asking = this.#asking
      .then(() => this.#task.keepWhile(() => this.#isWorking()))
      .catch((error: unknown) => {
        this.#isAsked = false;
        this.#log('task_not_protected', { error });
      });
  }
}
