// Findings: faults of a content that its owner should know before it is on air, each with its times.
import type { Loudness } from '../playout/loudness.ts';
import { shortestSeconds } from './measurements.ts';
import type { Measurements } from './measurements.ts';
import { usualSound } from '../playout/sound.ts';
import type { SourceReading } from '../shared/source-reading.ts';
import { joined, lengthOf, longest, without } from '../shared/stretches.ts';
import type { Stretch } from '../shared/stretches.ts';

export const findingKinds = [
  'black',
  'frozen',
  'silent',
  'loud',
  'variable_rate',
  'interlaced',
  'aspect',
  'no_sound',
  'bitrate',
  'transparent',
  'mono_tracks',
] as const;
export type FindingKind = (typeof findingKinds)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** From the beginning of the media; null for a finding about all of it. */
  readonly startSeconds: number | null;
  readonly endSeconds: number | null;
  /** A sentence or two for the owner. */
  readonly detail: string;
}

/** Facts of a content from before its inspection. */
export interface InspectedFacts {
  readonly durationSeconds: number;
  /** As displayed; null without moving pictures. */
  readonly size: { readonly width: number; readonly height: number } | null;
  readonly hasSound: boolean;
  /** Size of the whole file; null if unknown. */
  readonly sizeBytes: number | null;
  /** Name in ffprobe. */
  readonly videoCodec: string | null;
  /** Absent: the usual way. */
  readonly reading?: SourceReading | undefined;
}

/** Maximum number of stretches reported for a kind, the longest ones. */
const mostOfKind = 15;
const loudFromLUFS = -9;
/** Receivers clip above full scale. Encoders of sound overshoot by up to 1 dB. */
const clipsFromDBTP = 2;
const unevenFromShare = 0.05;
const interlacedFromShare = 0.5;
/** Least number of pictures for a finding about all of a content. */
const fewestPictures = 10;
/** Streams are 16:9. A difference below this share means bars of a few pixels. */
const aspect = { width: 16, height: 9, toleranceShare: 0.02 } as const;
/** Share of the media above which a stretch counts as all of it. */
const throughoutShare = 0.99;
/**
 * Bits for each pixel of a picture in whole files, including sound. With fewer, moving pictures turn into blocks: 187
 * kbit/s for 1080p30 in H.264. Newer codecs need half.
 */
const fewestBitsPerPixel = 0.003;
const frugalCodecs = { names: ['hevc', 'av1', 'vp9', 'vvc'], factor: 0.5 } as const;
/** Least seconds of motion for a finding: still or black pictures need almost no bits. */
const leastMotionSeconds = 10;
/** Five times the rate of any stream: a player that reads it may have to wait. */
const mostBitsPerSecond = 200e6;

/** Findings so far. @param isWhole whether all of the content has been measured */
export function findingsOf(
  measured: Measurements,
  facts: InspectedFacts,
  loudness: Loudness | null,
  isWhole: boolean,
): Finding[] {
  const { durationSeconds, size, hasSound } = facts;
  const findings = [
    ...(size === null ? [] : findInPictures(measured, durationSeconds, size, isWhole)),
    ...(size === null || !isWhole ? [] : findBitrate(measured, facts, size)),
    ...(hasSound ? findInSound(measured, durationSeconds, loudness, isWhole) : []),
    ...findReading(facts.reading),
    ...(size !== null && !hasSound
      ? [throughout('no_sound', 'The file has no sound. Streams play silence with it, or their own sound track.')]
      : []),
  ];
  return findings.sort((a, b) => (a.startSeconds ?? -1) - (b.startSeconds ?? -1));
}

/** Findings about the way in which the file is read. */
function findReading({ alpha, right }: SourceReading = {}): Finding[] {
  return [
    ...(alpha === undefined
      ? []
      : [throughout('transparent', 'The pictures may be transparent. Streams show them on black.')]),
    ...(right === undefined
      ? []
      : [
          throughout(
            'mono_tracks',
            'Each channel of the sound is a track of its own. The first two play as left and right, the others do not.',
          ),
        ]),
  ];
}

function findInPictures(
  measured: Measurements,
  durationSeconds: number,
  size: NonNullable<InspectedFacts['size']>,
  isWhole: boolean,
): Finding[] {
  const { picturesUntil, pictures, unevenPictures, interlacedPictures, progressivePictures } = measured;
  // The last picture stays on air until the sound has ended.
  const held = isWhole && picturesUntil > 0 ? [{ start: picturesUntil, end: durationSeconds }] : [];
  const black = long(measured.black, 'black');
  const frozen = long(without(joined([...measured.frozen, ...long(held, 'frozen')]), black), 'frozen');
  // A picture that never moves is a still under music, which its owner wants.
  const isStill = frozen.length === 1 && lengthOf(frozen[0]!) >= throughoutShare * durationSeconds;
  const told = pictures < fewestPictures ? 0 : interlacedPictures + progressivePictures;
  const unevenShare = unevenPictures / pictures;
  return [
    ...tell('black', black, (times) => `The picture is black ${times}.`),
    ...(isStill ? [] : tell('frozen', frozen, (times) => `The picture does not move ${times}.`)),
    ...(pictures >= fewestPictures && unevenShare > unevenFromShare
      ? [
          throughout(
            'variable_rate',
            `${Math.round(100 * unevenShare)} % of the pictures do not come at an even rate, so motion is not ` +
              'smooth. Make the file anew with a constant rate.',
          ),
        ]
      : []),
    ...(told >= fewestPictures && interlacedPictures > interlacedFromShare * told
      ? [
          throughout(
            'interlaced',
            'The pictures are interlaced: things that move have combed edges. Make the file anew, deinterlaced.',
          ),
        ]
      : []),
    ...findShape(size),
  ];
}

function findShape({ width, height }: { readonly width: number; readonly height: number }): Finding[] {
  const share = (width * aspect.height) / (height * aspect.width);
  if (Math.abs(share - 1) <= aspect.toleranceShare) return [];
  const where = share < 1 ? 'at both sides' : 'above and below';
  return [throughout('aspect', `The pictures are ${width} × ${height}, not 16:9: streams show black bars ${where}.`)];
}

/** Judges the whole file, since its size is known only as a whole. */
function findBitrate(
  { black, frozen, pictures, picturesUntil }: Measurements,
  { durationSeconds, sizeBytes, videoCodec }: InspectedFacts,
  { width, height }: NonNullable<InspectedFacts['size']>,
): Finding[] {
  if (sizeBytes === null || picturesUntil === 0) return [];
  const bitsPerSecond = (sizeBytes * 8) / durationSeconds;
  if (bitsPerSecond > mostBitsPerSecond) {
    const detail =
      `The file has ${Math.round(bitsPerSecond / 1e6)} Mbit/s, many times what streams have: where it is encoded ` +
      'while it plays, it may come too slowly. Make it anew with 50 Mbit/s, or stream it by the backend manifest.';
    return [throughout('bitrate', detail)];
  }
  const stillSeconds = joined([...black, ...frozen]).reduce((sum, stretch) => sum + lengthOf(stretch), 0);
  const movingSeconds = picturesUntil - stillSeconds;
  const movingPixels = width * height * pictures * (movingSeconds / picturesUntil);
  const isFrugal = frugalCodecs.names.some((name) => name === videoCodec);
  const fewest = fewestBitsPerPixel * (isFrugal ? frugalCodecs.factor : 1);
  if (movingSeconds < leastMotionSeconds || sizeBytes * 8 >= fewest * movingPixels) return [];
  const detail =
    `The file has ${Math.round(bitsPerSecond / 1000)} kbit/s, which is very little for ${width} × ${height}: ` +
    'what moves may fall into blocks. Look at it, and use the original, or make it anew with a higher bitrate.';
  return [throughout('bitrate', detail)];
}

function findInSound(
  { silent, soundFrom, soundUntil }: Measurements,
  durationSeconds: number,
  loudness: Loudness | null,
  isWhole: boolean,
): Finding[] {
  const before = soundFrom === null ? [] : [{ start: 0, end: soundFrom }];
  const after = isWhole ? [{ start: soundUntil, end: durationSeconds }] : [];
  const stretches = joined([...silent, ...long(before, 'silent'), ...long(after, 'silent')]);
  return [
    ...tell('silent', long(stretches, 'silent'), (times) => `There is no sound ${times}.`),
    ...(loudness === null ? [] : findLoud(loudness)),
  ];
}

function findLoud({ integratedLUFS, truePeakDBTP }: Loudness): Finding[] {
  const { targetLUFS: usualLUFS } = usualSound.loudness;
  if (integratedLUFS > loudFromLUFS) {
    const over = (integratedLUFS - usualLUFS).toFixed(1);
    return [
      throughout(
        'loud',
        `The sound has ${integratedLUFS} LUFS, ${over} LU more than the ${usualLUFS} that platforms play at: ` +
          'they turn it down, and beside other items it jars. Streams bring it to their loudness, unless that is off.',
      ),
    ];
  }
  if (truePeakDBTP <= clipsFromDBTP) return [];
  return [
    throughout(
      'loud',
      `The sound peaks at ${truePeakDBTP} dBTP, so it is distorted. Make the file anew, limited to -1.`,
    ),
  ];
}

const throughout = (kind: FindingKind, detail: string): Finding => ({
  kind,
  startSeconds: null,
  endSeconds: null,
  detail,
});

const long = (stretches: readonly Stretch[], kind: keyof typeof shortestSeconds): Stretch[] =>
  stretches.filter((stretch) => lengthOf(stretch) >= shortestSeconds[kind] - toleratedSeconds);
/** Media round their times in many ways. */
const toleratedSeconds = 0.002;

function tell(kind: FindingKind, stretches: readonly Stretch[], sentence: (times: string) => string): Finding[] {
  const told = longest(stretches, mostOfKind);
  const untold = stretches.length - told.length;
  return told.map(({ start, end }, index) => ({
    kind,
    startSeconds: milliseconds(start),
    endSeconds: milliseconds(end),
    detail:
      sentence(`from ${clockTime(start)} to ${clockTime(end)}`) +
      (untold > 0 && index === told.length - 1 ? ` There are ${untold} more, which are shorter.` : ''),
  }));
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** For example 3725.25 is 1:02:05.3. */
function clockTime(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor((tenths % 36_000) / 600)];
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
