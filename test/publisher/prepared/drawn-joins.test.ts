// Joins of pictures with overlays: their composition, and the ffmpeg arguments that read it.
import { describe, expect, it } from 'vitest';
import { lookKey } from '../../../lambda/domain/playout/drawings.ts';
import { picturePartsAt } from '../../../lambda/domain/playout/composition-parts.ts';
import type { PlacedPart } from '../../../lambda/domain/playout/composition-parts.ts';
import { withPictureJoins } from '../../../lambda/domain/playout/item-joins.ts';
import { usualLogo, usualTheme, usualTitle } from '../../../lambda/domain/playout/overlays.ts';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { formatName } from '../../../lambda/domain/playout/rendition.ts';
import { videoArguments } from '../../../lambda/publisher/ffmpeg/item-arguments.ts';
import { onlyLayer } from '../../../lambda/publisher/ffmpeg/layered-pictures.ts';
import type { ReadLayer } from '../../../lambda/publisher/ffmpeg/layered-pictures.ts';
import type { PictureOverlay } from '../../../lambda/publisher/ffmpeg/overlays.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { isSentAsDrawn } from '../../../lambda/publisher/prepared/segment-sources.ts';
import { fastEncoder } from '../../support/media-samples.ts';
import { format, item, timelineOf } from './prepared-clips.ts';

const drawn = `o${'a'.repeat(16)}` as const;
const first10 = `v${'b'.repeat(16)}f10` as const;
const rate = 30;
const logo = { uploadID: 'logo', ...usualLogo };

/** The parts of a playlist's first occurrences, with titles of a given duration in seconds. */
function partsOf(
  items: readonly TimelineItem[],
  kind: 'crossfade' | 'dip',
  count: number,
  seconds: number | null = 10,
) {
  const [entry] = timelineOf(...withPictureJoins(items, { kind, seconds: 1 }));
  const overlays = { logo, logoKey: 'logo', title: { ...usualTitle, seconds }, theme: usualTheme };
  const entries = [{ ...entry!, snapshot: { ...entry!.snapshot, overlays } }];
  const contentHashes = new Map(items.map(({ uploadID }) => [uploadID, uploadID]));
  const occurrences = [...occurrencesFrom(entries, 0, rate).take(count)];
  return occurrences.map((occurrence) => picturePartsAt({ entries, contentHashes }, occurrence, format));
}

/** The layers of a part from the lowest, each with its texts and the times at which they are visible. */
function drawnIn({ part }: PlacedPart) {
  return part.composition.layers.map(({ source, drawn: over }) => [
    source,
    over!.logo?.source,
    ...over!.texts.map(({ lines, fromSeconds, toSeconds }) => [lines[0], fromSeconds, toSeconds]),
  ]);
}

const titled = (name: string, seconds: number) => item(name, seconds, { titles: { title: name } });

describe('a crossfade', () => {
  const items = [titled('long', 30), titled('short', 8)];

  it('has the title of the item that begins, and that of the item that ends if it is still shown then', () => {
    const [toShort, toLong] = partsOf(items, 'crossfade', 3).flat();
    expect(drawnIn(toShort!)).toEqual([
      ['long', 'logo'],
      ['short', 'logo', ['short', 0, 10]],
    ]);
    expect(drawnIn(toLong!)).toEqual([
      ['short', 'logo', ['short', -7, 3]],
      ['long', 'logo', ['long', 0, 10]],
    ]);
  });

  it('has another name with other drawings, and with other titles', () => {
    const others = [titled('long', 30), { ...titled('short', 8), titles: { title: 'other' } }];
    const names = [partsOf(items, 'crossfade', 2), partsOf(items, 'crossfade', 2, 5), partsOf(others, 'crossfade', 2)];
    expect(new Set(names.map((parts) => parts[1]![0]!.name)).size).toBe(3);
    expect(partsOf(items, 'crossfade', 2)[1]![0]!.name).toBe(partsOf(items, 'crossfade', 4)[3]![0]!.name);
  });
});

it('a dip has the title of its item at the beginning, and at the end if it is still shown', () => {
  const drawings = partsOf([titled('long', 30), titled('short', 8)], 'dip', 2).map((parts) => parts.map(drawnIn));
  expect(drawings).toEqual([
    [[['long', 'logo']]],
    [[['short', 'logo', ['short', 0, 10]]], [['short', 'logo', ['short', 0, 10]]]],
  ]);
});

it('there are none until the item is sent with all that is drawn over it', () => {
  const titled = item('a', 30, { drawn, variants: [first10] });
  const names = [`${formatName(format)}-${drawn}`, `${formatName(format)}-${drawn}-${first10}`];
  const known = (count: number, of = titled) => {
    const looks = new Map(names.slice(0, count).map((name) => [lookKey('a', name), 5]));
    const occurrence = { item: of, startFrame: 5 * rate, frameCount: 30 * rate };
    return isSentAsDrawn('a', { occurrence, format, framesPerSecond: rate, looks });
  };
  expect([0, 1, 2].map((count) => known(count))).toEqual([false, false, true]);
  expect(known(0, item('a', 30))).toBe(true);
});

describe('one ffmpeg', () => {
  const profile = profileOf(format);
  const shown = { sourceURL: '/logo.png', place: 'topRight', widthPercent: 12, opacityPercent: 100 } as const;
  const text = (top: number) => ({
    x: 0,
    y: 0,
    width: 20,
    height: 10,
    left: 0,
    top,
    fromSeconds: 0,
    toSeconds: null,
    place: 'top' as const,
  });
  const overlay = (top: number): PictureOverlay => ({
    logo: shown,
    sheet: { png: Buffer.alloc(0), texts: [text(top)] },
  });
  const fades = [{ direction: 'in', start: 0, end: 30, transition: 'fade' } as const];
  const own = onlyLayer({ sourceURL: '/own.mov', kind: 'video', overlay: overlay(0) });
  const from: ReadLayer = {
    ...onlyLayer({ sourceURL: '/before.mov', kind: 'video', overlay: overlay(10) }),
    startFrame: -240,
    endFrame: 30,
  };
  const request = { startFrame: 0, frameCount: 60, profile, encoder: fastEncoder };
  const argumentsFor = (...layers: ReadLayer[]) => videoArguments({ ...request, layers });
  const inputsOf = (given: readonly string[]) =>
    given.flatMap((argument, index) => (given[index - 1] === '-i' ? [argument] : []));

  it('reads both items with a logo each, and one sheet with the texts of both', () => {
    const given = argumentsFor(from, { ...own, fades });
    expect(inputsOf(given)).toEqual(['/before.mov', '/logo.png', 'pipe:0', '/own.mov', '/logo.png']);
    const graph = given[given.indexOf('-filter_complex') + 1]!;
    const read = [...graph.matchAll(/\[(\d:[vV]:0)\]/g)].map(([, stream]) => stream);
    expect(read).toEqual(['0:V:0', '1:v:0', '2:v:0', '3:V:0', '4:v:0', '2:v:0']);
    const made = [...graph.matchAll(/\]?(?:[^[\];]+)\[([a-z]+[\d_]*)\](?=;|$)/g)].map(([, label]) => label);
    expect(new Set(made).size).toBe(made.length);
    expect(graph.lastIndexOf('overlay=')).toBeLessThan(graph.indexOf('xfade='));
    // The previous item is read from its end.
    expect(given[given.indexOf('/before.mov') - 2]).toBe('8.000000');
  });

  it('reads the sheet also if the item that ends alone has texts', () => {
    const given = argumentsFor(from, { ...own, fades, overlay: null });
    expect(inputsOf(given)).toEqual(['/before.mov', '/logo.png', 'pipe:0', '/own.mov']);
  });

  it('reads an item alone without a graph of filters if nothing is drawn over it', () => {
    expect(argumentsFor({ ...own, overlay: null })).not.toContain('-filter_complex');
    expect(argumentsFor(own)).toContain('-filter_complex');
  });
});
