// The shape of pictures and the names of framings: equal in TypeScript and in SQL.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aspects, framingModes, framingNamed, framingOf, usualLook } from '../../../lambda/domain/playout/look.ts';
import type { Framing, ItemLook, StreamLook } from '../../../lambda/domain/playout/look.ts';
import type { VariantName } from '../../../lambda/domain/playout/overlays.ts';
import {
  drawingIn,
  formatName,
  formatNamed,
  formatOfItem,
  soundAt,
  variantsOfItem,
} from '../../../lambda/domain/playout/rendition.ts';
import { framerates, qualities, videoCodecs } from '../../../lambda/domain/shared/video-format.ts';
import { testDatabase } from '../../support/database.ts';

const wide = { width: 1920, height: 1080 };
const blur = { framing: { mode: 'blur', colour: '#000000' } } as const;
const red: ItemLook = { framing: { mode: 'pad', colour: '#ff0000' } };
const upright: StreamLook = { aspect: '9:16', ...blur };

describe('the framing of an item', () => {
  it.each([
    ['is none where nobody says anything', undefined, null, { width: 640, height: 480 }, undefined],
    ['is that of its stream', undefined, upright, wide, 'blur'],
    ['is its own before that', red, upright, wide, 'padff0000'],
    ['is none where the pictures fill the frame', blur, null, wide, undefined],
    ['is none where they do so upright', undefined, upright, { width: 1080, height: 1920 }, undefined],
    ['is there where a pixel is missing at 2160p', undefined, upright, { width: 1080, height: 1918 }, 'blur'],
    ['is there where the size is not known', undefined, upright, null, 'blur'],
    ['is none with black bars', usualLook, upright, wide, undefined],
  ])('%s', (_, item, stream, size, expected) => {
    expect(framingOf(item, stream, size)).toBe(expected);
    expect(framingNamed(expected as Parameters<typeof framingNamed>[0]).mode).toBe(
      expected?.slice(0, 4).replace(/^pad.*/, 'pad') ?? 'pad',
    );
  });
});

const anyFraming: fc.Arbitrary<Framing> = fc.record({
  mode: fc.constantFrom(...framingModes),
  colour: fc.constantFrom('#000000', '#10a0ff', '#ffffff'),
});
const anyStream = fc.option(fc.record({ aspect: fc.constantFrom(...aspects), framing: anyFraming }));
// An item may have a join of its own and no framing.
const anyItem = fc.option(fc.record({ framing: anyFraming }, { requiredKeys: [] }));
const sides = fc.constantFrom(2, 607, 608, 720, 1080, 1280, 1918, 1920, 3840);
const anySize = fc.option(fc.record({ width: sides, height: sides }));

const hash = '0123456789abcdef';
const anyDrawn = fc.constantFrom(undefined, `o${hash}` as const);
const variants = ['a', 'f10', 'l7'].map((part) => `v${hash}${part}` as VariantName);

it('each format with a look has a name of its own, of which the format is made again', () => {
  const any = fc.record({
    quality: fc.constantFrom(...qualities),
    framerate: fc.constantFrom(...framerates),
    videoCodec: fc.constantFrom(...videoCodecs),
  });
  fc.assert(
    fc.property(any, anyStream, anyItem, anySize, anyDrawn, (plain, stream, item, size, drawn) => {
      const aspect = stream?.aspect;
      const format = { ...plain, ...(aspect && aspect !== '16:9' && { aspect }) };
      const framing = framingOf(item, stream, size);
      const framed = formatOfItem(format, { ...(framing !== undefined && { framing }), ...(drawn && { drawn }) });
      for (const each of [framed, ...variantsOfItem(framed, { variants })]) {
        expect(formatNamed(formatName(each))).toEqual(each);
        expect(drawingIn(formatNamed(formatName(each)))).toBe(each.variant ?? drawn);
      }
    }),
  );
  for (const sound of ['sound', soundAt(-14), soundAt(-16.5)] as const) {
    expect(formatNamed(formatName(sound))).toBe(sound);
    expect(drawingIn(sound)).toBeUndefined();
  }
});

describe('in SQL', () => {
  const database = testDatabase();

  it('the name of a framing is the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyStream, anyItem, anySize, async (stream, item, size) => {
        const { rows } = await database
          .pool()
          .query('select framing_name($1, $2, $3, $4) as name', [item, stream, size?.width, size?.height]);
        expect(rows[0].name ?? undefined).toBe(framingOf(item, stream, size));
      }),
    );
  });
});
