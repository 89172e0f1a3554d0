// Keeps ECS from ending a task while work of any kind is under way in it.
import type { Log } from '../log.ts';
import type { EcsTask } from './ecs-task.ts';

export class TaskKeeper<Work extends string> {
  readonly #task: Pick<EcsTask, 'keepWhile'>;
  readonly #log: Log;
  readonly #underWay = new Map<Work, number>();
  /** Whether ECS was asked to keep the task since the last minute began. */
  #isAsked = false;
  /** Requests go out one after the other: of two at once, ECS could carry out the older one last. */
  #asking: Promise<void> = Promise.resolve();

  constructor(task: Pick<EcsTask, 'keepWhile'>, log: Log) {
    this.#task = task;
    this.#log = log;
  }

  /**
   * Says how much of a kind of work is under way. The first asks ECS to keep the task at once; what ends is told
   * with the next minute, as more work often follows within seconds.
   */
  note(work: Work, count: number): void {
    this.#underWay.set(work, count);
    if (this.#isWorking() && !this.#isAsked) this.#ask();
  }

  /** Call this every minute: a protection ends by itself, and a request may have failed. */
  everyMinute(): void {
    this.#ask();
  }

  /** Resolves when ECS has answered all that it was asked. */
  settled(): Promise<void> {
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
