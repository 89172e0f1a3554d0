// Media files with flaws, each with the findings that inspection must report, and files without flaws.
import type { FindingKind } from '../../lambda/domain/media/findings.ts';
import { madeSample, mediaSample, uprightSample } from './media-samples.ts';
import type { SampleName } from './media-samples.ts';

/** A kind of finding, with its start and end in seconds; without times if it holds throughout. */
export type Flaw = readonly [kind: FindingKind, start?: number, end?: number];

export interface FlawedFile {
  readonly name: string;
  readonly path: () => Promise<string>;
  readonly flaws: readonly Flaw[];
  /** Duration of a picture in seconds: the tolerance of times. */
  readonly frameSeconds: number;
}

const lavfi = (graph: string): string[] => ['-f', 'lavfi', '-i', graph];
const x264 = '-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv420p -g 60'.split(' ');
const codecs: Readonly<Record<string, readonly string[]>> = {
  mp4: [...x264, ...'-c:a aac -b:a 128k'.split(' ')],
  mov: [...x264, ...'-bf 2 -c:a pcm_s16le'.split(' ')],
  mkv: [...x264, ...'-c:a flac'.split(' ')],
  // The lowest quality that the encoder has.
  m4v: [
    ...'-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 900 -b:v 40k'.split(' '),
    ...'-maxrate 40k -bufsize 40k -c:a aac -b:a 32k'.split(' '),
  ],
  ts: '-c:v mpeg2video -qscale:v 2 -c:a mp2'.split(' '),
  webm: '-c:v libvpx -deadline realtime -cpu-used 8 -b:v 6M -qmax 20 -c:a libopus'.split(' '),
};

interface Recipe {
  readonly size?: string;
  readonly rate?: number;
  readonly seconds?: number;
  readonly soundSeconds?: number;
  /** Filters of pictures, and of sound; null: no sound. */
  readonly pictures?: string;
  readonly sound?: string | null;
}

function flawed(name: string, recipe: Recipe, ...flaws: Flaw[]): FlawedFile {
  const { size = '320x180', rate = 30, seconds = 14, soundSeconds = seconds, pictures = 'null' } = recipe;
  const { sound = 'anull' } = recipe;
  const source = [
    ...lavfi(`testsrc2=s=${size}:r=${rate}:d=${seconds}`),
    ...(sound === null ? [] : lavfi(`sine=f=997:r=48000:d=${soundSeconds}`)),
    '-fps_mode',
    'passthrough',
    '-vf',
    pictures,
    ...(sound === null ? [] : ['-af', sound]),
  ];
  const recipeOf = [...source, ...codecs[name.split('.').at(-1)!]!];
  return { name, path: () => madeSample(name, recipeOf), flaws, frameSeconds: 1 / rate };
}

function sample(name: SampleName, frameSeconds = 1 / 30, ...flaws: Flaw[]): FlawedFile {
  return { name, path: () => mediaSample(name), flaws, frameSeconds };
}

/** Times are shortened by less than a picture, so that they select whole pictures at every rate. */
const black = (from: number, to: number) => `drawbox=c=black:t=fill:enable='between(t,${from - 0.005},${to - 0.005})'`;
const still = (from: number, to: number, rate: number) =>
  `freezeframes=first=${from * rate}:last=${to * rate - 1}:replace=${from * rate - 1}`;
const freezing = (from: number, to: number, rate: number) =>
  `split[moving],loop=loop=0[kept];[moving][kept]${still(from, to, rate)}`;
const mute = (from: number, to: number) => `volume=0:enable='between(t,${from},${to})'`;

const rates = { mp4: 30, mov: 24, mkv: 25, ts: 50, webm: 30 } as const;
const containers = Object.entries(rates);

export const flawedFiles: readonly FlawedFile[] = [
  ...containers.map(([type, rate]) => flawed(`black.${type}`, { rate, pictures: black(4, 9) }, ['black', 4, 9])),
  ...containers.map(([type, rate]) =>
    flawed(`still.${type}`, { rate, pictures: freezing(3, 11, rate) }, ['frozen', 3 - 1 / rate, 11]),
  ),
  ...containers.map(([type, rate]) => flawed(`mute.${type}`, { rate, sound: mute(2.5, 9.25) }, ['silent', 2.5, 9.25])),
  flawed('meagre.m4v', { size: '1280x720', rate: 60 }, ['bitrate']),
  flawed('black-first.mp4', { pictures: black(0, 3) }, ['black', 0, 3]),
  flawed('black-last.mkv', { pictures: black(10, 99) }, ['black', 10, 14]),
  flawed('black-twice.mp4', { pictures: `${black(2, 5)},${black(7, 12)}` }, ['black', 2, 5], ['black', 7, 12]),
  flawed('mute-first.mkv', { sound: mute(0, 6) }, ['silent', 0, 6]),
  flawed('mute-last.mp4', { sound: mute(7, 99) }, ['silent', 7, 14]),
  flawed('mute-throughout.mp4', { sound: mute(0, 99) }, ['silent', 0, 14]),
  flawed('sound-ends.mkv', { soundSeconds: 6 }, ['silent', 6, 14]),
  flawed('pictures-end.mkv', { seconds: 5, soundSeconds: 14 }, ['frozen', 5, 14]),
  flawed('black-and-mute.mp4', { pictures: black(3, 10), sound: mute(4, 11) }, ['black', 3, 10], ['silent', 4, 11]),
  flawed('no-sound.mp4', { sound: null }, ['no_sound']),
  sample('silent-24.mov', 1 / 24, ['no_sound']),
  flawed('loud.mkv', { sound: 'volume=16dB' }, ['loud']),
  flawed('clipped.mkv', { sound: mute(1, 5.9).replace('volume=0', 'volume=0.2') + ',volume=17dB' }, ['loud']),
  flawed('variable.mkv', { pictures: "select='lt(mod(n,11),2)'" }, ['variable_rate']),
  sample('clap.mp4', 1 / 30, ['loud']),
  sample('interlaced.ts', 1 / 25, ['interlaced'], ['aspect']),
  flawed('combed.mp4', { size: '640x360', rate: 60, pictures: 'interlace' }, ['interlaced']),
  sample('44100.mp4', 1 / 25, ['aspect']),
  flawed('scope.mp4', { size: '480x200' }, ['aspect']),
  { name: 'upright.mp4', path: uprightSample, flaws: [['aspect']], frameSeconds: 1 / 30 },
];

export const cleanFiles: readonly FlawedFile[] = [
  ...(['plain.mp4', 'front-index.mp4', 'vp9.webm', 'surround.mkv', 'telephone.mkv', 'hlg.mp4'] as const).map((name) =>
    sample(name),
  ),
  ...(['recorded.webm', 'delayed.mp4', 'late-sound.mkv', 'reordered.mkv', 'song.mp3'] as const).map((name) =>
    sample(name),
  ),
  ...containers.map(([type, rate]) => flawed(`clean.${type}`, { rate })),
];
