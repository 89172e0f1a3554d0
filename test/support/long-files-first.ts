// The order of the long suite: the largest files first, as usual, but before them small ones that take minutes.
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Begun last, they would keep one processor waiting for another at the end. */
const takeMinutes = /\/long\/(?:template-linters|given-stages|recurrence-zones)\.test\.ts$/u;

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const takesMinutes = ({ moduleId }: TestSpecification) => takeMinutes.test(moduleId);
    return [...sorted.filter(takesMinutes), ...sorted.filter((file) => !takesMinutes(file))];
  }
}
