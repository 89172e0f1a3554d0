// What an FLV video or audio tag body holds, from its first bytes (Adobe FLV 10.1, annex E.4; Enhanced RTMP v2).

export interface BodyFacts {
  /** Common name such as h264 or aac; null when we do not know it. */
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
/** Codecs whose legacy bodies have a packet type byte: 0 is the sequence header, 1 a frame. */
const codecsWithPacketType: ReadonlySet<string | undefined> = new Set(['h264', 'hevc', 'aac']);

/** Audio sound format that announces a FourCC. */
const enhancedAudio = 9;
const keyframeType = 1;
const videoCommand = 5;

/** Packet types of Enhanced RTMP that carry a frame. */
const enhancedFrameTypes = new Set([1, 3]);

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
  const packetType = codecsWithPacketType.has(codec) ? body[1] : 1;
  return { codec: codec ?? null, content: packetType === 0 ? 'sequence header' : packetType === 1 ? 'frame' : 'other' };
}

function enhancedFacts(body: Buffer): BodyFacts {
  const packetType = body[0]! & 15;
  const codec = fourCcCodecs[body.toString('latin1', 1, 5)] ?? null;
  return {
    codec,
    content: packetType === 0 ? 'sequence header' : enhancedFrameTypes.has(packetType) ? 'frame' : 'other',
  };
}
