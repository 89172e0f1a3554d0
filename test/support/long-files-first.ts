// The order of the long suite: first small files that take minutes, then the largest files, as usual.
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Started last, these would keep one processor busy at the end while the other waits. */
const takeMinutes = /\/long\/(?:template-linters|given-stages|recurrence-zones)\.test\.ts$/u;

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const takesMinutes = ({ moduleId }: TestSpecification) => takeMinutes.test(moduleId);
    return [...sorted.filter(takesMinutes), ...sorted.filter((file) => !takesMinutes(file))];
  }
}
