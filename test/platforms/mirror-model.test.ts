// The mirror in random lives of a stream, on a platform in memory.
// The worker is killed after any statement or call, answers are lost after they took effect, and wishes change.
// Complete run: `MIRROR_RUNS=10000 npm run vitest -- run test/platforms/mirror-model.test.ts`
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actorsOn } from '../support/actors.ts';
import { mirroredStreamsOn } from '../support/mirrored-streams.ts';
import { createModelRun } from './mirror-model.ts';
import type { ModelCommand } from './mirror-model.ts';
import { testService } from '../support/service.ts';

const service = testService();
const actors = actorsOn(service);
const mirrored = mirroredStreamsOn(service);

const runs = Number(process.env['MIRROR_RUNS'] ?? 300);

/** Platform calls; an insert with a lost answer may create a duplicate. */
const calls = fc.oneof(
  { weight: 2, arbitrary: fc.constant('insert' as const) },
  { weight: 3, arbitrary: fc.constantFrom('ensureIngest', 'bind', 'find', 'goLive', 'end', 'update', 'observe') },
);
const command: fc.Arbitrary<ModelCommand> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('start', 'stop', 'schedule', 'cancel').map((kind) => ({ kind })) },
  { weight: 2, arbitrary: fc.constantFrom('feed', 'starve').map((kind) => ({ kind })) },
  { weight: 2, arbitrary: fc.constantFrom('edit', 'retry', 'rotate').map((kind) => ({ kind })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('endThere', 'revoke', 'connect', 'exhaust', 'busy', 'recover').map((kind) => ({ kind })),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'useUpAndStop' as const }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('kill' as const), after: fc.integer({ min: 1, max: 120 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('loseAnswer' as const, 'loseCall' as const),
      call: calls,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(1, 7, 65, 700) }) },
);

/** Remaining seconds of the quota day. A rotation takes an hour, so about one life in two sees the quota reset. */
const secondsOfQuotaDay = fc.oneof(fc.constant(86_400), fc.integer({ min: 1, max: 5400 }));

it('ends in exactly what is wished, and never has two live broadcasts on the way', { timeout: 0 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 1, maxLength: 9 }),
      secondsOfQuotaDay,
      async (commands, seconds) => {
        const run = await createModelRun(service, actors, mirrored, seconds);
        try {
          for (const next of commands) {
            await run.apply(next);
            await run.work();
            expect(await run.contradictions()).toEqual([]);
          }
          await run.settle();
          expect(await run.contradictions()).toEqual([]);
          await run.assertSettled();
        } finally {
          await run.forget();
        }
      },
    ),
    { numRuns: runs },
  );
});
