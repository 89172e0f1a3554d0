// Video tags of every codec describe their content, and accept another composition time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readVideoTag, withCompositionTime } from '../../../lambda/publisher/ffmpeg/video-tag.ts';

const pictureData = Buffer.from('picture');
const avc = (packetType: number, frameType = 1) =>
  Buffer.from([(frameType << 4) | 7, packetType, 0, 0, 33, ...pictureData]);
const enhanced = (packetType: number, fourCC: string, frameType = 1, more: readonly number[] = []) =>
  Buffer.concat([Buffer.of(0x80 | (frameType << 4) | packetType), Buffer.from(fourCC), Buffer.from(more), pictureData]);

describe('a tag of', () => {
  it.each([
    ['an H.264 sequence header', avc(0), { content: 'sequence header', isKeyframe: true, compositionMs: 0 }],
    ['an H.264 keyframe', avc(1), { content: 'picture', isKeyframe: true, compositionMs: 33 }],
    ['another H.264 picture', avc(1, 2), { content: 'picture', isKeyframe: false, compositionMs: 33 }],
    ['the end of H.264', avc(2), { content: 'other', isKeyframe: true, compositionMs: 0 }],
    [
      'an HEVC sequence header',
      enhanced(0, 'hvc1'),
      { content: 'sequence header', isKeyframe: true, compositionMs: 0 },
    ],
    [
      'an HEVC keyframe',
      enhanced(1, 'hvc1', 1, [0, 0, 67]),
      { content: 'picture', isKeyframe: true, compositionMs: 67 },
    ],
    [
      'an HEVC picture that is shown at once',
      enhanced(3, 'hvc1', 2),
      { content: 'picture', isKeyframe: false, compositionMs: 0 },
    ],
    ['an AV1 keyframe', enhanced(1, 'av01'), { content: 'picture', isKeyframe: true, compositionMs: 0 }],
    ['metadata of pictures', enhanced(4, 'hvc1'), { content: 'other', isKeyframe: true, compositionMs: 0 }],
  ] as const)('%s', (_, body, facts) => {
    expect(readVideoTag(body)).toEqual(facts);
  });
});

it.each([
  ['H.264', () => avc(1, 2)],
  ['HEVC', () => enhanced(1, 'hvc1', 2, [0, 0, 67])],
  ['HEVC without a composition time', () => enhanced(3, 'hvc1', 2)],
])('%s takes any composition time, and nothing else of it changes', (_, body) => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 23), max: 2 ** 23 - 1 }), (compositionMs) => {
      const changed = withCompositionTime(body(), compositionMs);
      expect(readVideoTag(changed)).toEqual({ content: 'picture', isKeyframe: false, compositionMs });
      expect(changed.subarray(-pictureData.length)).toEqual(pictureData);
      expect(withCompositionTime(changed, compositionMs)).toBe(changed);
    }),
  );
});

it('AV1, which shows its pictures as they come, is left as it is', () => {
  const body = enhanced(1, 'av01');
  expect(withCompositionTime(body, 0)).toBe(body);
  expect(body).toEqual(enhanced(1, 'av01'));
  expect(() => withCompositionTime(body, 33)).toThrow('av01 shows its pictures as they come');
});
