// How a file is read if the usual way would show or play the wrong thing. Decision D194.

/** Facts that readers need, found in the bytes but for `fromSeconds`. Fields are absent if the usual way is right. */
export interface SourceReading {
  /** The index of the pictures among all streams of the file; absent: the first moving pictures. */
  readonly pictures?: number;
  /** The index of the sound among all streams of the file; absent: the first sound. */
  readonly sound?: number;
  /** The index of a mono track that is the right channel, as the sound is the left one; absent: the sound is whole. */
  readonly right?: number;
  /** The colour matrix of pictures that state none; absent: that of high definition. */
  readonly matrix?: AssumedMatrix;
  /** The decoder of pictures with transparency, which are shown on black; absent: they have none. */
  readonly alpha?: AlphaDecoder;
  /**
   * Seconds before a time at which decoding for it begins, as the file cannot be searched for keyframes; absent: it
   * can. A file whose clock jumps has its whole duration.
   */
  readonly leadSeconds?: number;
  /** Facts of earlier releases had it. All readers of sound begin earlier now. */
  readonly soundLeadSeconds?: number;
  /** The last time at which a search for pictures finds some; absent: it does at all times. */
  readonly searchableSeconds?: number;
  /**
   * Seconds from the beginning of the file to that of its pictures, and of its sound; absent: 0, or ffmpeg knows them.
   * It counts the times of searched formats from the first packet of the tracks that it reads.
   */
  readonly picturesAfter?: number;
  readonly soundAfter?: number;
  /**
   * The time in the file at which the content begins; absent: it is the whole file. The content ends after its
   * duration, wherever the file ends. Decision D230.
   */
  readonly fromSeconds?: number;
  /** How the camera of a still image was held, if ffmpeg would not turn the picture; absent: it does, or need not. */
  readonly orientation?: Orientation;
}

/** Orientations of EXIF that are not upright (Exif 2.32, 4.6.4 A). */
const orientations = [2, 3, 4, 5, 6, 7, 8] as const;
export type Orientation = (typeof orientations)[number];

export function isOrientation(value: number): value is Orientation {
  return includes(orientations, value);
}

/** Whether the picture lies on its side. */
export function isSideways(orientation: Orientation): boolean {
  return orientation >= 5;
}

/** The colour matrices of standard definition, ITU-R BT.601, and of high definition, by ffmpeg's names. */
export type AssumedMatrix = 'smpte170m' | 'bt709';

/** Decoders with transparency. `usual` is the one that ffmpeg takes by itself. */
export type AlphaDecoder = 'libvpx' | 'libvpx-vp9' | 'usual';

/** ffmpeg's own decoders of these codecs ignore transparency. */
const decodersWithAlpha: Readonly<Record<string, AlphaDecoder>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' };

/** The decoder of a codec that keeps transparency, if there may be some. */
export function alphaDecoderOf(codec: string): AlphaDecoder {
  return decodersWithAlpha[codec] ?? 'usual';
}

/** Codecs of the time before high definition. Their small pictures are in BT.601. */
const standardCodecs =
  /^(?:dvvideo|mpeg[124]\w*|h26[13]p?|flv1?|msmpeg4\w*|wmv[123]|vc1|theora|vp[67]\w*|svq[13]|cinepak)$/u;
/** Widths and heights of broadcasts and discs in standard definition, in pixels as coded. */
const broadcast = { widths: [704, 720], heights: [480, 486, 576] } as const;
const standardSize = { width: 1024, height: 576 } as const;

/** The matrix of pictures that state none; null: that of high definition. */
export function unstatedMatrix(codec: string, width: number, height: number): AssumedMatrix | null {
  // RFC 6386, 9.2: VP8 has no other.
  const isStandard =
    codec === 'vp8' ||
    (standardCodecs.test(codec) && width <= standardSize.width && height <= standardSize.height) ||
    (includes(broadcast.widths, width) && includes(broadcast.heights, height));
  return isStandard ? 'smpte170m' : null;
}

const includes = (values: readonly number[], value: number) => values.includes(value);
