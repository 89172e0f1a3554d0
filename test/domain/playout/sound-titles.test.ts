// Texts over pictures that name the sound track, and the prepared pictures that contain them.
import { describe, expect, it } from 'vitest';
import { usualTheme } from '../../../lambda/domain/playout/overlays.ts';
import type { Overlays } from '../../../lambda/domain/playout/overlays.ts';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { soundTexts } from '../../../lambda/domain/playout/sound-titles.ts';
import { titledPartAt, titledPartsWithin } from '../../../lambda/domain/playout/composition-parts.ts';
import { format, item, timelineOf } from '../../publisher/prepared/prepared-clips.ts';

const rate = 30;
const overlays: Overlays = {
  logo: null,
  title: { place: 'bottomLeft', seconds: 10 },
  next: { place: 'topLeft', seconds: 5, label: 'Next' },
  theme: usualTheme,
  ofSound: true,
};
const song = (title: string, seconds: number) => item(title, seconds, { kind: 'audio', titles: { title } });
const heard = timelineOf(song('a', 60), song('b', 30.5), song('c', 100));

/** The texts of a stretch of a run, in seconds. */
const textsIn = (fromSeconds: number, seconds: number, of = overlays, longest = Infinity) =>
  soundTexts(of, heard, { startFrame: fromSeconds * rate, frameCount: seconds * rate }, rate, longest).map(
    ({ lines, fromSeconds: from, toSeconds: to }) => [lines[0], from, to],
  );

describe('texts', () => {
  it('are of what is heard during the pictures, at its time', () => {
    expect(textsIn(0, 100)).toEqual([
      ['a', 0, 10],
      ['Next: b', 55, 60],
      ['b', 60, 70],
      ['Next: c', 85.5, 90.5],
      ['c', 90.5, null],
    ]);
  });

  it('that were there before begin with the pictures, and those that stay have no end', () => {
    expect(textsIn(65, 3)).toEqual([['b', 0, null]]);
    expect(textsIn(71, 3)).toEqual([]);
  });

  it('to the end of a song, or for as long as they are shown at most', () => {
    const always = { ...overlays, title: { place: 'top', seconds: null }, next: null } as const;
    expect(textsIn(0, 70, always)).toEqual([
      ['a', 0, 60],
      ['b', 60, null],
    ]);
    expect(textsIn(0, 70, always, 20)).toEqual([
      ['a', 0, 20],
      ['b', 60, null],
    ]);
  });

  it('say of a song that is alone what it is, and not that it comes next', () => {
    const alone = timelineOf(song('alone', 60));
    const texts = soundTexts(overlays, alone, { startFrame: 0, frameCount: 70 * rate }, rate);
    expect(texts.map(({ lines }) => lines[0])).toEqual(['alone', 'alone']);
  });
});

describe('prepared pictures', () => {
  const trackOf = (...pictures: TimelineItem[]) => {
    const [entry] = timelineOf(...pictures);
    const contentHashes = new Map(pictures.map(({ uploadID }) => [uploadID, uploadID]));
    const snapshot = { ...entry!.snapshot, overlays: { ...overlays, logoKey: null } };
    return { entries: [{ ...entry!, snapshot }], heard, contentHashes };
  };
  const within = (track: ReturnType<typeof trackOf>, seconds: number) =>
    titledPartsWithin(track, { startFrame: 0, frameCount: seconds * rate }, format);

  it('are whole GOPs, and none where nothing is told', () => {
    const found = within(trackOf(item('film', 600)), 100);
    const places = found.map(({ startFrame, part: { groupCount } }) => [startFrame / rate, groupCount / rate]);
    expect(places).toEqual([
      [0, 10],
      [54, 6],
      [60, 10],
      [84, 16],
    ]);
  });

  it('of a still image are the same ones for as long as a text is seen', () => {
    const found = within(trackOf(item('still', 3600, { kind: 'image' })), 190);
    const texts = found.map(({ part }) => part.composition.layers[0]!.drawn!.texts.map(({ lines }) => lines[0]));
    // Songs of 60 s begin with a picture of the still; the others within one.
    expect(texts.filter((each) => each.includes('a'))).toEqual([['a']]);
    expect(texts.filter((each) => each.includes('b'))).toEqual([['b']]);
    expect(texts.filter((each) => each.includes('c'))).toEqual([['Next: c', 'c'], ['c'], ['c']]);
  });

  it('are found by whoever begins anywhere, by the same names', () => {
    for (const pictures of [[item('film', 45.3), item('short', 7)], [item('still', 20, { kind: 'image' })]]) {
      const track = trackOf(...pictures);
      const all = new Set(within(track, 400).map(({ name }) => name));
      for (const { startFrame, frameCount, ...more } of occurrencesFrom(track.entries, 0, rate).take(8)) {
        const length = more.item.kind === 'image' ? 2 * rate : frameCount;
        for (let start = startFrame; start < startFrame + frameCount; start += length) {
          const playing = {
            occurrence: { startFrame, frameCount, ...more },
            startFrame: start,
            frameCount: length,
            skippedFrames: 0,
          };
          for (let picture = 0; picture < length; picture += 59) {
            const titled = titledPartAt(track, playing, picture, format);
            expect(titled === null || all.has(titled.name)).toBe(true);
          }
        }
      }
    }
  });
});
