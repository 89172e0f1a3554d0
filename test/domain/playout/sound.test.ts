// Adjustments that bring sound to a loudness: one gain, a limiter only for peaks, and nothing for correct sound.
import { describe, expect, test } from 'vitest';
import { isSameLevel, levelAt, levelFor, targetOf } from '../../../lambda/domain/playout/sound.ts';

const measured = (integratedLUFS: number, truePeakDBTP: number) => ({ integratedLUFS, truePeakDBTP, rangeLU: 5 });
const at = (targetLUFS: number) => ({ loudness: { enabled: true, targetLUFS } });
const off = { loudness: { enabled: false, targetLUFS: -14 } };

describe('the level of a sound', () => {
  test.each([
    ['quiet sound is made louder', measured(-20, -12), { gainDB: 6, isLimited: false }],
    ['loud sound is made quieter', measured(-6.4, 0.5), { gainDB: -7.6, isLimited: false }],
    ['peaks that would come too near to full scale are limited', measured(-20, -3), { gainDB: 6, isLimited: true }],
    ['sound of the right loudness has only its peaks limited', measured(-14.2, 0), { gainDB: 0, isLimited: true }],
    ['noise that nobody was to hear is made louder by 30 dB at most', measured(-60, -55), { gainDB: 30 }],
  ])('%s', (_, loudness, level) => expect(levelFor(loudness, -14)).toMatchObject(level));

  test.each([
    ['is right already', measured(-14.3, -2.6)],
    ['is silence', null],
  ])('is none where it %s', (_, loudness) => expect(levelFor(loudness, -14)).toBeNull());
});

test('an item has its own target, else that of its stream, else what platforms play at', () => {
  expect(targetOf(at(-16), at(-20))).toBe(-16);
  expect(targetOf(undefined, at(-20))).toBe(-20);
  expect(targetOf(null, null)).toBe(-14);
  expect(targetOf(off, at(-20))).toBeNull();
  expect(targetOf(at(-16), off)).toBe(-16);
});

test('a level is for the occurrences that begin at its time or later', () => {
  const [early, late] = [levelFor(measured(-20, -12), -14)!, levelFor(measured(-20, -12), -16)!];
  const item = {
    levels: [
      { fromSeconds: 10, level: early },
      { fromSeconds: 20.01, level: late },
      { fromSeconds: 30, level: null },
    ],
  };
  const levelOf = (frame: number) => levelAt(item, frame, 30);
  expect([299, 300, 599, 600, 900].map(levelOf)).toEqual([null, early, early, late, null]);
  expect(levelAt({}, 0, 30)).toBeNull();
  expect(isSameLevel(early, { ...early })).toBe(true);
  expect(isSameLevel(early, late)).toBe(false);
  expect(isSameLevel(null, late)).toBe(false);
});
