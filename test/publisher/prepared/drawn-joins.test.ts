// Joins of pictures with something drawn over them: what they are made of, and how one ffmpeg reads it.
import { describe, expect, it } from 'vitest';
import { lookKey } from '../../../lambda/domain/playout/drawings.ts';
import { pictureJoinsAt, withPictureJoins } from '../../../lambda/domain/playout/picture-joins.ts';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { formatName } from '../../../lambda/domain/playout/rendition.ts';
import { videoArguments } from '../../../lambda/publisher/ffmpeg/item-arguments.ts';
import type { PicturesOfItem } from '../../../lambda/publisher/ffmpeg/joined-pictures.ts';
import type { PictureOverlay } from '../../../lambda/publisher/ffmpeg/overlays.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { isSentAsDrawn } from '../../../lambda/publisher/prepared/segment-sources.ts';
import { fastEncoder } from '../../support/media-samples.ts';
import { format, item, timelineOf } from './prepared-clips.ts';

const drawn = `o${'a'.repeat(16)}` as const;
const first10 = `v${'b'.repeat(16)}f10` as const;
const always = `v${'c'.repeat(16)}a` as const;
const rate = 30;

/** The joins of the first occurrences of a playlist. */
function joinsOf(items: readonly TimelineItem[], kind: 'crossfade' | 'dip', count: number) {
  const entries = timelineOf(...withPictureJoins(items, { kind, seconds: 1 }));
  const contentHashes = new Map(items.map(({ uploadID }) => [uploadID, uploadID]));
  const occurrences = [...occurrencesFrom(entries, 0, rate).take(count)];
  return occurrences.map((occurrence) => pictureJoinsAt({ entries, contentHashes }, occurrence, format));
}

describe('a crossfade', () => {
  const long = item('long', 30, { drawn, variants: [first10] });
  const short = item('short', 8, { drawn, variants: [always] });

  it('has the title of what begins, and that of what ends where it is still shown then', () => {
    const [toShort, toLong] = joinsOf([long, short], 'crossfade', 3).flat();
    expect(toShort!.recipe).toMatchObject({ item: { drawn, variant: always }, from: { drawn } });
    expect(toShort!.recipe.from).not.toHaveProperty('variant');
    expect(toLong!.recipe).toMatchObject({ item: { variant: first10 }, from: { drawn, variant: always } });
  });

  it('has another name with other drawings, and its old one without any', () => {
    const plain = [item('long', 30), item('short', 8)];
    const names = [[long, short], [{ ...long, drawn: `o${'d'.repeat(16)}` as const }, short], plain].map(
      (items) => joinsOf(items, 'crossfade', 2)[1]![0]!.name,
    );
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toContain(`/plain/plain_`);
  });
});

it('a dip has the title of its item at the beginning, and at the end where it is still shown', () => {
  const items = [item('long', 30, { variants: [first10] }), item('short', 8, { variants: [first10] })];
  const looks = joinsOf(items, 'dip', 2).map((joins) =>
    joins.map(({ recipe: { shape, item: own } }) => [shape, own.variant]),
  );
  expect(looks).toEqual([
    [['fadeOut', undefined]],
    [
      ['fadeIn', first10],
      ['fadeOut', first10],
    ],
  ]);
});

it('there are none until the item is sent with all that is drawn over it', () => {
  const titled = item('a', 30, { drawn, variants: [first10] });
  const names = [`${formatName(format)}-${drawn}`, `${formatName(format)}-${drawn}-${first10}`];
  const known = (count: number, of = titled) => {
    const looks = new Map(names.slice(0, count).map((name) => [lookKey('a', name), 5]));
    const occurrence = { item: of, startFrame: 5 * rate };
    return isSentAsDrawn('a', { occurrence, format, framesPerSecond: rate, looks });
  };
  expect([0, 1, 2].map((count) => known(count))).toEqual([false, false, true]);
  expect(known(0, item('a', 30))).toBe(true);
});

describe('one ffmpeg', () => {
  const profile = profileOf(format);
  const logo = { sourceURL: '/logo.png', place: 'topRight', widthPercent: 12, opacityPercent: 100 } as const;
  const text = (top: number) => ({
    x: 0,
    y: 0,
    width: 20,
    height: 10,
    top,
    fromSeconds: 0,
    toSeconds: null,
    place: 'top' as const,
  });
  const overlay = (top: number): PictureOverlay => ({ logo, sheet: { png: Buffer.alloc(0), texts: [text(top)] } });
  const own: PicturesOfItem = { sourceURL: '/own.mov', kind: 'video', startFrame: 0, overlay: overlay(0) };
  const from: PicturesOfItem = { sourceURL: '/before.mov', kind: 'video', startFrame: 240, overlay: overlay(10) };
  const request = { ...own, frameCount: 60, profile, encoder: fastEncoder };

  it('reads both items with a logo each, and one sheet with the texts of both', () => {
    const given = videoArguments({ ...request, joins: { head: { frames: 30, from }, tail: null, stingers: [] } });
    const inputs = given.flatMap((argument, index) => (given[index - 1] === '-i' ? [argument] : []));
    expect(inputs).toEqual(['/own.mov', '/logo.png', 'pipe:0', '/before.mov', '/logo.png']);
    const graph = given[given.indexOf('-filter_complex') + 1]!;
    const read = [...graph.matchAll(/\[(\d:[vV]:0)\]/g)].map(([, stream]) => stream);
    expect(read).toEqual(['0:V:0', '1:v:0', '2:v:0', '3:V:0', '4:v:0', '2:v:0']);
    const made = [...graph.matchAll(/\]?(?:[^[\];]+)\[([a-z]+[\d_]*)\](?=;|$)/g)].map(([, label]) => label);
    expect(new Set(made).size).toBe(made.length);
    expect(graph.lastIndexOf('overlay=')).toBeLessThan(graph.indexOf('xfade='));
  });

  it('reads the sheet also where the item before alone has texts', () => {
    const joins = { head: { frames: 30, from }, tail: null, stingers: [] };
    const given = videoArguments({ ...request, overlay: null, joins });
    const inputs = given.flatMap((argument, index) => (given[index - 1] === '-i' ? [argument] : []));
    expect(inputs).toEqual(['/own.mov', '/before.mov', '/logo.png', 'pipe:0']);
  });

  it('reads an item alone without a graph of filters where nothing is drawn over it', () => {
    expect(videoArguments({ ...request, overlay: null })).not.toContain('-filter_complex');
    expect(videoArguments(request)).toContain('-filter_complex');
  });
});
