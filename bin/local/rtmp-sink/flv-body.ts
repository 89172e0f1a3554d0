// The content of an FLV video or audio tag body, from its first bytes (Adobe FLV 10.1, annex E.4; Enhanced RTMP v2).

export interface BodyFacts {
  /** The common name, such as h264 or aac; null for an unknown codec. */
  readonly codec: string | null;
  readonly content: 'sequence header' | 'keyframe' | 'frame' | 'other';
}

const videoCodecs: Readonly<Record<number, string>> = { 2: 'h263', 4: 'vp6', 7: 'h264', 12: 'hevc' };
const audioCodecs: Readonly<Record<number, string>> = { 2: 'mp3', 10: 'aac', 11: 'speex' };
const fourCcCodecs: Readonly<Record<string, string>> = {
  avc1: 'h264',
  hvc1: 'hevc',
  av01: 'av1',
  vp09: 'vp9',
  vp08: 'vp8',
  vvc1: 'vvc',
  mp4a: 'aac',
  Opus: 'opus',
  fLaC: 'flac',
  '.mp3': 'mp3',
  'ac-3': 'ac3',
  'ec-3': 'eac3',
};
/** In the bodies of these codecs, the second byte is the type of the content: 0 is a sequence header, 1 is a frame. */
const codecsWithPacketType: ReadonlySet<string | undefined> = new Set(['h264', 'hevc', 'aac']);

/** The sound format of audio that names its codec by a FourCC (Enhanced RTMP). */
const enhancedAudio = 9;
/** Frame types of video. */
const keyframeType = 1;
const videoCommand = 5;

/** The meaning of a packet type. Types that are not listed have nothing to show. */
const legacyContents: Readonly<Record<number, BodyFacts['content']>> = { 0: 'sequence header', 1: 'frame' };
const enhancedContents: Readonly<Record<number, BodyFacts['content']>> = {
  0: 'sequence header',
  1: 'frame',
  3: 'frame',
};

export function videoBodyFacts(body: Buffer): BodyFacts {
  const first = body[0] ?? 0;
  const isEnhanced = first >= 0x80;
  const frameType = isEnhanced ? (first >> 4) & 7 : first >> 4;
  const { codec, content } = isEnhanced ? enhancedFacts(body) : legacyFacts(body, videoCodecs[first & 15]);
  if (frameType === videoCommand) return { codec: null, content: 'other' };
  return { codec, content: content === 'frame' && frameType === keyframeType ? 'keyframe' : content };
}

export function audioBodyFacts(body: Buffer): BodyFacts {
  const soundFormat = (body[0] ?? 0) >> 4;
  return soundFormat === enhancedAudio ? enhancedFacts(body) : legacyFacts(body, audioCodecs[soundFormat]);
}

function legacyFacts(body: Buffer, codec: string | undefined): BodyFacts {
  if (!codecsWithPacketType.has(codec)) return { codec: codec ?? null, content: 'frame' };
  return { codec: codec ?? null, content: legacyContents[body[1] ?? -1] ?? 'other' };
}

function enhancedFacts(body: Buffer): BodyFacts {
  const packetType = body[0]! & 15;
  const codec = fourCcCodecs[body.toString('latin1', 1, 5)] ?? null;
  return { codec, content: enhancedContents[packetType] ?? 'other' };
}
