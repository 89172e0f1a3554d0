// The timelines of the golden recordings, and the small files that they play.
import type { PictureJoin } from '../../lambda/domain/playout/look.ts';
import { drawingName, variantsOf } from '../../lambda/domain/playout/drawing-names.ts';
import { wholeDrawing, withNext } from '../../lambda/domain/playout/drawings.ts';
import { usualClock, usualNext, usualTheme, usualTicker, usualTitle } from '../../lambda/domain/playout/overlays.ts';
import { withJoins, withPictureJoins } from '../../lambda/domain/playout/item-joins.ts';
import type { TimelineEntry, TimelineItem, TimelineOverlays } from '../../lambda/domain/playout/play-out.ts';
import type { PictureFormat } from '../../lambda/domain/playout/rendition.ts';
import { withSoundUnder } from '../../lambda/domain/playout/sound-under.ts';
import type { Join, SoundUnder } from '../../lambda/domain/playout/sound.ts';
import { madeSample } from '../support/media-samples.ts';
import { makeStingerClip, stingerClip } from '../support/stinger-clip.ts';
import { item, timelineOf } from '../publisher/prepared/prepared-clips.ts';

/** A timeline, and the part of it that is recorded. */
export interface GoldenTimeline {
  readonly name: string;
  readonly format: PictureFormat;
  readonly video: readonly TimelineEntry[];
  readonly audio: readonly TimelineEntry[];
  readonly fromSeconds: number;
  readonly seconds: number;
  /** The only backend that records it; undefined: both do. */
  readonly only?: 'encoded';
}

const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;
const level = { targetLUFS: -14, gainDB: 9, isLimited: true } as const;
const bars = item('bars', 5.3, { name: 'Test bars.mp4', captions: 'captions' });
const film = item('film', 6.1, { titles: { title: 'The film', artist: 'A painter' } });
const tall = item('tall', 5, { name: 'Upright.mp4' });
const still = item('still', 10, { kind: 'image', hasAudio: false, name: 'A still.png' });
const songs = [
  item('song0', 7.013, { kind: 'audio', name: 'First song.wav' }),
  item('song1', 6.417, { kind: 'audio', name: 'Second song.wav' }),
];
const levelled = (items: readonly TimelineItem[]) =>
  items.map((each) => ({ ...each, levels: [{ fromSeconds: 0, level }] }));

const logo = { uploadID: 'logo', place: 'topRight', widthPercent: 12, opacityPercent: 80 } as const;
const plainOverlays: TimelineOverlays = { logo, logoKey: 'logo', title: null, theme: usualTheme };
const titled: TimelineOverlays = { ...plainOverlays, title: { ...usualTitle, seconds: 3 } };
const titledToEnd: TimelineOverlays = {
  ...titled,
  title: { ...usualTitle, seconds: null },
  theme: { ...usualTheme, style: 'bar' },
};
const captioned: TimelineOverlays = { ...titled, captions: { place: 'bottom' } };
const announcing: TimelineOverlays = {
  ...titled,
  title: null,
  next: { ...usualNext, seconds: 5 },
  logo: null,
  logoKey: null,
};
const running: TimelineOverlays = { ...titled, clock: usualClock, ticker: { ...usualTicker, lines: ['News', 'More'] } };
const telling: TimelineOverlays = { ...titled, next: usualNext, ofSound: true };

interface Wish {
  readonly items?: readonly TimelineItem[];
  readonly join?: PictureJoin;
  readonly overlays?: TimelineOverlays;
  readonly under?: SoundUnder;
  readonly isStingerSilent?: true;
}

function pictures({ items = [bars, film], join, overlays, under, isStingerSilent }: Wish): TimelineEntry[] {
  const stinger = {
    uploadID: 'stinger',
    objectKey: 'stinger',
    contentHash: 'stinger',
    hasAudio: !isStingerSilent,
    durationSeconds: stingerClip.durationSeconds,
    videoCodec: stingerClip.videoCodec,
  };
  const whole = wholeDrawing(overlays);
  const drawn = withNext(items, 'sequential').map((each, index) => {
    const variants = overlays ? variantsOf(overlays, each).map(({ name }) => name) : [];
    const names = { ...(whole && { drawn: drawingName(whole) }), ...(variants.length > 0 && { variants }) };
    return { ...items[index]!, ...names };
  });
  const joined = withPictureJoins(withSoundUnder(drawn, under), join, { seconds: 0.9, stinger });
  const [entry] = timelineOf(...joined);
  return [{ ...entry!, snapshot: { ...entry!.snapshot, ...(overlays && { overlays }) } }];
}

const sound = (join: Join, items: readonly TimelineItem[] = songs) => timelineOf(...withJoins(items, join));
const crossfade = { kind: 'crossfade', seconds: 1.2 } as const;
const dip = { kind: 'dip', seconds: 0.5 } as const;
const stinger = { kind: 'stinger', seconds: 1 } as const;
const cut = { kind: 'cut', seconds: 1 } as const;
const under = { enabled: true, gainDB: -6, duck: true } as const;
const framed = [{ ...tall, framing: 'blur' } as const, { ...tall, itemID: 'cropped', framing: 'crop' } as const];

type Given = Pick<GoldenTimeline, 'video'> & Partial<GoldenTimeline>;
const aroundJoin = { fromSeconds: 3, seconds: 4 };

const given: Readonly<Record<string, Given>> = {
  cut: { video: pictures({}) },
  'crossfade of videos': { video: pictures({ join: crossfade }) },
  'crossfade of a video and a still': { video: pictures({ items: [bars, still], join: crossfade }) },
  'crossfade of a still and a video': { video: pictures({ items: [still, film], join: crossfade }), fromSeconds: 7 },
  'crossfade that is joined in its middle': { video: pictures({ join: crossfade }), fromSeconds: 4.5, seconds: 2 },
  dip: { video: pictures({ join: dip }) },
  'dip of a still': { video: pictures({ items: [still, film], join: dip }), fromSeconds: 7, seconds: 5 },
  stinger: { video: pictures({ join: stinger }) },
  'stinger without sound': { video: pictures({ join: stinger, isStingerSilent: true }) },
  'stinger over a still': { video: pictures({ items: [still, bars], join: stinger }), fromSeconds: 7 },
  'stinger that is joined in its middle': { video: pictures({ join: stinger }), fromSeconds: 5.6, seconds: 2 },
  'joins of several kinds': {
    video: pictures({ items: [{ ...bars, ownJoin: stinger }, { ...film, ownJoin: dip }, tall], join: crossfade }),
    seconds: 10,
  },
  'black bars and blur': { video: pictures({ items: [tall, framed[0]!], join: crossfade }) },
  'crop and coloured bars': { video: pictures({ items: [framed[1]!, { ...tall, framing: 'pad336699' }], join: dip }) },
  'upright pictures': {
    video: pictures({ items: [{ ...bars, framing: 'blur' }, tall], join: crossfade }),
    format: { ...format, aspect: '9:16' },
  },
  'titles and a logo through a crossfade': { video: pictures({ join: crossfade, overlays: titled }) },
  'titles to the end through a crossfade': { video: pictures({ join: crossfade, overlays: titledToEnd }) },
  'titles through a stinger': { video: pictures({ join: stinger, overlays: titledToEnd }) },
  'what comes next through a dip': { video: pictures({ items: [film, bars], join: dip, overlays: announcing }) },
  captions: { video: pictures({ join: crossfade, overlays: captioned }), fromSeconds: 0, seconds: 6 },
  'a clock and a ticker': { video: pictures({ join: crossfade, overlays: running }), only: 'encoded' },
  'titles of songs': { video: pictures({ join: dip, overlays: telling }), audio: sound(crossfade), seconds: 6 },
  'titles of songs over a still': {
    video: pictures({ items: [still], overlays: telling }),
    audio: sound(crossfade),
    seconds: 6,
  },
  'songs by a crossfade': { video: pictures({ join: cut }), audio: sound({ kind: 'crossfade', seconds: 2.3 }) },
  'songs by a fade': { video: pictures({}), audio: sound({ kind: 'fade', seconds: 1 }), fromSeconds: 5 },
  'songs without a gap': { video: pictures({}), audio: sound({ kind: 'gap_free', seconds: 3 }), fromSeconds: 5 },
  'songs at a level': { video: pictures({}), audio: sound(crossfade, levelled(songs)) },
  'videos at a level': { video: pictures({ items: levelled([bars, film]), join: crossfade }) },
  'a level and a stinger': { video: pictures({ items: levelled([bars, film]), join: stinger }) },
  'a song over videos that dip': { video: pictures({ join: dip, under }), audio: sound(crossfade), seconds: 6 },
  'a song over a stinger': { video: pictures({ join: stinger, under }), audio: sound({ kind: 'fade', seconds: 1 }) },
};

export const goldenTimelines: readonly GoldenTimeline[] = Object.entries(given).map(([name, timeline]) => {
  return { name, format, audio: [], ...aroundJoin, ...timeline };
});

export const captionsFile = '1\n00:00:00,500 --> 00:00:02,000\nHello\n\n2\n00:00:04,000 --> 00:00:05,200\nTwo\nlines\n';

/** The path of each upload's file. */
export async function goldenFiles(): Promise<ReadonlyMap<string, string>> {
  const x264 = '-c:v libx264 -preset ultrafast -qp 6 -pix_fmt yuv420p -colorspace bt709 -color_range tv'.split(' ');
  const tone = (hertz: number, seconds: number, amplitude = 0.2) => {
    const wave = `${amplitude}*sin(2*PI*${hertz}*t)*(0.7+0.3*sin(2*PI*t))`;
    return ['-f', 'lavfi', '-i', `aevalsrc='${wave}|${wave}':s=48000:d=${seconds}`];
  };
  const clip = (id: string, source: string, hertz: number, seconds: number) => {
    const media = ['-f', 'lavfi', '-i', `${source}:r=30:d=${seconds}`, ...tone(hertz, seconds)];
    return madeSample(`golden-${id}.mov`, [...media, ...x264, '-c:a', 'pcm_s16le']);
  };
  const picture = (id: string, source: string) =>
    madeSample(`golden-${id}.png`, ['-f', 'lavfi', '-i', source, '-frames:v', '1', '-update', '1']);
  const song = (id: string, hertz: number, seconds: number) =>
    madeSample(`golden-${id}.wav`, [...tone(hertz, seconds, 0.3), '-c:a', 'pcm_s16le']);
  const files = {
    bars: clip('bars', 'testsrc2=s=320x180', 440, bars.durationSeconds),
    film: clip('film', 'testsrc=s=320x180', 700, film.durationSeconds),
    tall: clip('tall', 'testsrc2=s=180x240', 550, tall.durationSeconds),
    still: picture('still', 'smptehdbars=s=640x360'),
    logo: picture('logo', 'color=red:s=60x40'),
    song0: song('song0', 330, songs[0]!.durationSeconds),
    song1: song('song1', 880, songs[1]!.durationSeconds),
    stinger: makeStingerClip(),
  };
  return new Map(await Promise.all(Object.entries(files).map(async ([id, path]) => [id, await path] as const)));
}
