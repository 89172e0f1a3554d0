// Splits FLV into its tags (Adobe Flash Video File Format 10.1, annex E).

/** One tag. RTMP carries its `body` as the payload of a message. */
export interface FlvTag {
  readonly type: number;
  readonly timestampMs: number;
  readonly body: Buffer;
}

export const flvTagType = { audio: 8, video: 9 } as const;
/** The second byte of an AAC tag body. */
export const flvPacketType = { sequenceHeader: 0, media: 1 } as const;

const fileHeaderBytes = 9;
const tagHeaderBytes = 11;
const previousTagSizeBytes = 4;

/**
 * The tags of one elementary stream, in file order. The source's bytes may be cut anywhere.
 * @throws {Error} when the bytes are not FLV
 */
export async function* readFlvTags(
  source: AsyncIterable<Buffer>,
  type: number,
): AsyncGenerator<FlvTag, void, undefined> {
  let chunks: Buffer[] = [];
  let bufferedBytes = 0;
  let neededBytes = fileHeaderBytes + previousTagSizeBytes;
  let inHeader = true;
  for await (const chunk of source) {
    chunks.push(chunk);
    bufferedBytes += chunk.length;
    // Chunks are joined only when they complete a tag, so that a large tag is copied once.
    if (bufferedBytes < neededBytes) continue;
    const input = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    let offset = 0;
    while (input.length - offset >= neededBytes) {
      if (inHeader) {
        if (input.toString('latin1', 0, 3) !== 'FLV') throw new Error('the encoder did not write FLV');
        offset += neededBytes;
        inHeader = false;
        neededBytes = tagHeaderBytes;
        continue;
      }
      const bodyBytes = input.readUIntBE(offset + 1, 3);
      const tagBytes = tagHeaderBytes + bodyBytes + previousTagSizeBytes;
      if (input.length - offset < tagBytes) {
        neededBytes = tagBytes;
        break;
      }
      const timestampMs = input.readUIntBE(offset + 4, 3) | (input[offset + 7]! << 24);
      const body = input.subarray(offset + tagHeaderBytes, offset + tagHeaderBytes + bodyBytes);
      if (input[offset] === type) yield { type, timestampMs, body };
      offset += tagBytes;
      neededBytes = tagHeaderBytes;
    }
    const rest = input.subarray(offset);
    chunks = rest.length > 0 ? [rest] : [];
    bufferedBytes = rest.length;
  }
}
