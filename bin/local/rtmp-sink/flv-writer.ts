// Writes the FLV container (Adobe FLV 10.1, annex E).

/** Tag types, the same numbers as RTMP's message types. */
export const flvTagType = { audio: 8, video: 9, data: 18 } as const;

/** The file header and the first PreviousTagSize. Players wait for every track that is announced here. */
export function flvHeader(tracks: { readonly hasVideo: boolean; readonly hasAudio: boolean }): Buffer {
  const flags = (tracks.hasVideo ? 1 : 0) | (tracks.hasAudio ? 4 : 0);
  return Buffer.concat([Buffer.from('FLV'), Buffer.of(1, flags, 0, 0, 0, 9), Buffer.alloc(4)]);
}

/** A tag and its PreviousTagSize. @param timestampMs from 0 to 2^32 - 1 */
export function flvTag(type: number, timestampMs: number, body: Buffer): Buffer {
  const tag = Buffer.alloc(11 + body.length + 4);
  tag.writeUInt8(type);
  tag.writeUIntBE(body.length, 1, 3);
  tag.writeUIntBE(timestampMs % 2 ** 24, 4, 3);
  tag.writeUInt8(Math.floor(timestampMs / 2 ** 24), 7);
  body.copy(tag, 11);
  tag.writeUInt32BE(11 + body.length, 11 + body.length);
  return tag;
}
