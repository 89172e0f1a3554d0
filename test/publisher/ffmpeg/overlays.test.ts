// Overlays on pictures: a page of logos and titles, in all places, styles, shapes and scripts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aspects, ofAspect } from '../../../lambda/domain/playout/look.ts';
import type { Aspect, FramingName } from '../../../lambda/domain/playout/look.ts';
import {
  overlayPlaces,
  themeStyles,
  usualLogo,
  usualTheme,
  usualTitle,
} from '../../../lambda/domain/playout/overlays.ts';
import type { Logo, OverlayPlace, Theme } from '../../../lambda/domain/playout/overlays.ts';
import { drawTexts } from '../../../lambda/publisher/drawing/text-sheet.ts';
import { frameArguments } from '../../../lambda/publisher/ffmpeg/item-arguments.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { asJpeg, captureImage } from '../../../lambda/publisher/inspecting/capture-image.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { everyMediaTools, madeSample, mediaSample, serveSamples } from '../../support/media-samples.ts';
import { pageOf, similarities } from '../../support/picture-page.ts';

const builds = await everyMediaTools();
const { signal } = new AbortController();

interface Scene {
  readonly lines?: readonly string[];
  readonly place?: OverlayPlace;
  readonly theme?: Partial<Theme>;
  readonly logo?: Partial<Logo>;
  readonly aspect?: Aspect;
  readonly framing?: FramingName;
  /**
   * Whether the page shows only the surroundings of a text at the bottom left, so that the text is readable there.
   */
  readonly isClose?: boolean;
}

const night = ['Night Drive', 'The Loops'];
const scripts: readonly (readonly string[])[] = [
  ['Café – Ünïcødé “Ðé Łódź”', 'Αθήνα · Київ · Тбилиси'],
  ['ليلة في المدينة', 'فرقة 2024'],
  ['לילה בעיר', 'הלהקה (2024)'],
  ['रात की ड्राइव', 'শহরের রাত'],
  ['இரவுப் பயணம்', 'రాత్రి ప్రయాణం'],
  ['ರಾತ್ರಿ ಪ್ರಯಾಣ', 'രാത്രി യാത്ര'],
  ['ਰਾਤ ਦੀ ਸੈਰ', 'રાતની સફર'],
  ['ค่ำคืนนี้', 'ღამის გზა · Գիշեր'],
  ['夜のドライブ', 'ループス・東京'],
  ['밤의 드라이브', '루프스 서울'],
  ['夜间驾驶', '循环乐队 · 北京'],
  ['Party 🎉👩🏽‍🚀🇯🇵', 'with 🎷 & 🥁'],
];
const scenes: readonly Scene[] = [
  ...scripts.map((lines) => ({ lines, isClose: true })),
  // A text too long for its room; one such word; a title alone; a bidirectional text.
  { lines: ['A title that goes on and on, until nobody knows any more what it was that it began with, is cut'] },
  { lines: ['Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft', 'Wien'] },
  { lines: ['Night Drive'], isClose: true },
  { lines: ['Night Drive ليلة 24', 'ليلة Night 24'], isClose: true },
  ...overlayPlaces.map((place) => ({ lines: night, place })),
  ...overlayPlaces.map((place, index) => ({ logo: { place, widthPercent: 8 + 6 * index } })),
  ...aspects.flatMap((aspect) =>
    themeStyles.map((style) => ({ lines: night, theme: { style }, aspect, logo: {}, framing: 'blur' as const })),
  ),
  { lines: night, theme: { style: 'plain', textColour: '#ffe000', panelColour: '#c00000' }, isClose: true },
  { lines: night, theme: { panelColour: '#10a060', panelOpacityPercent: 100 }, isClose: true },
  { lines: night, place: 'topRight', logo: { opacityPercent: 30, widthPercent: 50, place: 'topLeft' } },
];
const shape = { columns: 8, rows: 5, tilePixels: 208 };
const keptPage = join(import.meta.dirname, 'overlays-page.jpg');
/** Minimum similarity: less than with a missing letter. The background of a framed text differs between builds. */
const leastSimilarity = { plain: 0.99, framed: 0.85 } as const;

interface Sources {
  readonly film: string;
  readonly plain: string;
  readonly logo: string;
}

async function pictureOf(tools: MediaTools, scene: Scene, sources: Sources) {
  const { lines, place = usualTitle.place, theme, logo, aspect = '16:9', framing, isClose = false } = scene;
  const profile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264', ...ofAspect(aspect) });
  const text = { place, theme: { ...usualTheme, ...theme }, fromSeconds: 0, toSeconds: null };
  const sheet = await drawTexts(lines ? [{ ...text, lines }] : [], profile, signal);
  const drawnLogo = logo ? { ...usualLogo, ...logo, sourceURL: sources.logo } : null;
  const overlay = { logo: drawnLogo, sheet };
  const sourceURL = framing ? sources.film : sources.plain;
  const { input, filters } = frameArguments({ sourceURL, kind: 'video', framing, overlay, startFrame: 3, profile });
  const close = isClose ? ['crop=iw*0.45:ih*0.4:0:ih*0.6'] : [];
  const toJpeg = `scale=${isClose ? 'iw' : 'iw/2'}:-2:flags=area:in_color_matrix=bt709:${asJpeg}`;
  const stdin = sheet ? { stdin: sheet.png } : {};
  const request = { tools, sourceURL, signal, background: false, input, filters: [...filters, ...close, toJpeg] };
  return (await captureImage({ ...request, ...stdin }))!;
}

describe.each(builds)('with the $name build', ({ name, tools }) => {
  it('forty frames look as those that were looked at', async () => {
    expect(scenes).toHaveLength(shape.columns * shape.rows);
    await using server = await serveSamples();
    const ring =
      'color=black@0:s=240x160,format=rgba,geq=r=240:g=80:b=X:a=if(lt(abs(hypot(X-120\\,Y-80)-60)\\,14)\\,255\\,0)';
    const logo = await madeSample('ring-logo.png', ['-f', 'lavfi', '-i', ring, '-frames:v', '1']);
    const plain = await madeSample('plain.mov', ['-f', 'lavfi', '-i', 'color=c=0x305880:s=1280x720:r=30:d=1']);
    const sources = {
      film: server.urlOf(await mediaSample('silent-24.mov')),
      plain: server.urlOf(plain),
      logo: server.urlOf(logo),
    };
    const pictures: Buffer[] = [];
    for (const scene of scenes) pictures.push(await pictureOf(tools, scene, sources));
    const page = await pageOf(tools, pictures, shape);
    // KEEP_PAGES=1 keeps the page of this machine's build. Look at it before you commit it.
    if (process.env['KEEP_PAGES'] && name === 'found') await writeFile(keptPage, page);
    const found = await similarities(tools, page, keptPage, shape);
    expect(found).toHaveLength(scenes.length);
    const unlike = found.flatMap((similarity, index) => {
      const least = leastSimilarity[scenes[index]!.framing ? 'framed' : 'plain'];
      return similarity < least ? [`picture ${index}: ${similarity}`] : [];
    });
    expect(unlike).toEqual([]);
  });
});

it('signs that titles of songs have are drawn, each as itself', async () => {
  const profile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' });
  const text = { place: usualTitle.place, theme: usualTheme, fromSeconds: 0, toSeconds: null };
  const signs = ['♪', '♫', '★', '☆', '✓', '→', '①', '☂'];
  const drawn = await Promise.all(
    signs.map(async (sign) => (await drawTexts([{ ...text, lines: [sign] }], profile, signal))!.png.toString('base64')),
  );
  // Characters that a font lacks are all the same box.
  expect(new Set(drawn).size).toBe(signs.length);
});
