// Previews of a stream that was taken over: pieces follow each other, and begin at keyframes of the shown media.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { intervalAt, sessionStartFrame } from '../../../lambda/domain/live/takeover-intervals.ts';
import { keyframeFrom } from '../../../lambda/domain/live/takeover-plan.ts';
import { frameCountOf, occurrenceAt } from '../../../lambda/domain/playout/play-out.ts';
import { framesOfPiece } from '../../../lambda/domain/playout/preview.ts';
import { item, timelineOf } from '../../publisher/prepared/prepared-clips.ts';

const rate = 30;
const gopFrames = 60;
const pieces = 20;

it('has no hole between pieces, also at the beginning and the end of a takeover', () => {
  const lengths = fc.array(fc.integer({ min: 31, max: 400 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(lengths, fc.nat(400), fc.nat(3), fc.option(fc.nat(500)), (frames, from, firstSegment, lasting) => {
      const entries = timelineOf(...frames.map((count, index) => item(`clip${index}`, count / rate)));
      const fromFrame = keyframeFrom(entries, from, rate);
      const toFrame = lasting === null ? null : keyframeFrom(entries, fromFrame + lasting + 1, rate);
      const interval = { sessionID: 'lse_1', fromFrame, toFrame, firstSegment };
      const startFrame = sessionStartFrame(interval, gopFrames);
      const framesOf = (clip: Parameters<typeof frameCountOf>[0]) => frameCountOf(clip, rate);
      const grid = { framesPerSecond: rate, gopFrames, framesOf, others: [{ ...interval, startFrame }] };
      let end = 0;
      for (let piece = 0; piece < pieces; piece++) {
        const found = framesOfPiece(entries, piece, grid);
        expect(found.start).toBe(end);
        const origin = intervalAt([interval], found.start)
          ? startFrame
          : occurrenceAt(entries, found.start, rate).startFrame;
        expect((found.start - origin) % gopFrames).toBe(0);
        end = found.end;
      }
    }),
  );
});
