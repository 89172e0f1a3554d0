// Aired parts of an item: intersections and unions of stretches of frames.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { airedPartsOf, joined, within } from '../../../lambda/domain/playout/aired.ts';
import type { AiredFrames } from '../../../lambda/domain/playout/aired.ts';

const frames = fc
  .record({
    outputID: fc.constantFrom(null, 'out_1'),
    fromFrame: fc.nat(60),
    length: fc.integer({ min: 1, max: 20 }),
    standInID: fc.constantFrom(null, 'upl_1', 'lse_1'),
  })
  .map(({ length, fromFrame, ...rest }): AiredFrames => ({
    ...rest,
    fromFrame,
    toFrame: fromFrame + length,
    bytes: 1,
  }));
const stretches = fc.array(frames, { maxLength: 12 });

/** Every frame with its output and the played item. */
const eachOf = (aired: readonly Omit<AiredFrames, 'bytes'>[]) =>
  new Set(
    aired.flatMap(({ outputID, standInID, fromFrame, toFrame }) =>
      Array.from({ length: toFrame - fromFrame }, (_, index) => `${outputID} ${standInID} ${fromFrame + index}`),
    ),
  );

it('joining neither adds nor loses a frame, and leaves nothing that touches', () => {
  fc.assert(
    fc.property(stretches, (aired) => {
      const result = joined(aired);
      expect(eachOf(result)).toEqual(eachOf(aired));
      for (const [index, one] of result.entries())
        for (const other of result.slice(index + 1)) {
          const isSame = one.outputID === other.outputID && one.standInID === other.standInID;
          expect(isSame && one.toFrame >= other.fromFrame && other.toFrame >= one.fromFrame).toBe(false);
        }
    }),
  );
});

it('the parts of an item are the frames of it that were aired, and no others', () => {
  fc.assert(
    fc.property(stretches, fc.nat(60), fc.integer({ min: 1, max: 30 }), (aired, startFrame, frameCount) => {
      const parts = airedPartsOf({ startFrame, frameCount }, aired, 25).map((part) => ({
        ...part,
        fromFrame: startFrame + Math.round(part.fromSeconds * 25),
        toFrame: startFrame + Math.round(part.toSeconds * 25),
      }));
      const isInItem = (each: string) => {
        const frame = Number(each.split(' ')[2]);
        return frame >= startFrame && frame < startFrame + frameCount;
      };
      expect(eachOf(parts)).toEqual(new Set([...eachOf(aired)].filter(isInItem)));
    }),
  );
});

it('within two frames there is what was aired between them, with its part of the bytes', () => {
  const aired = { outputID: null, fromFrame: 10, toFrame: 30, bytes: 200, standInID: null };
  expect(within([aired], 0, 10)).toEqual([]);
  expect(within([aired], 0, 15)).toEqual([{ ...aired, toFrame: 15, bytes: 50 }]);
  expect(within([aired], 15, 40)).toEqual([{ ...aired, fromFrame: 15, bytes: 150 }]);
  expect(within([aired], 30, 40)).toEqual([]);
});
