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

/** Reads FLV incrementally: takes bytes that may be cut anywhere, and returns the tags that they complete. */
export class FlvReader {
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  #neededBytes = fileHeaderBytes + previousTagSizeBytes;
  #inHeader = true;

  /** @throws {Error} when the bytes are not FLV */
  read(chunk: Buffer): FlvTag[] {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    // Chunks are joined only when they complete a tag, so that a large tag is copied once.
    if (this.#bufferedBytes < this.#neededBytes) return [];
    const input = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const tags: FlvTag[] = [];
    let offset = 0;
    while (input.length - offset >= this.#neededBytes) {
      if (this.#inHeader) {
        if (input.toString('latin1', 0, 3) !== 'FLV') throw new Error('the encoder did not write FLV');
        offset += this.#neededBytes;
        this.#inHeader = false;
        this.#neededBytes = tagHeaderBytes;
        continue;
      }
      const bodyBytes = input.readUIntBE(offset + 1, 3);
      const tagBytes = tagHeaderBytes + bodyBytes + previousTagSizeBytes;
      if (input.length - offset < tagBytes) {
        this.#neededBytes = tagBytes;
        break;
      }
      tags.push({
        type: input[offset]!,
        timestampMs: input.readUIntBE(offset + 4, 3) | (input[offset + 7]! << 24),
        body: input.subarray(offset + tagHeaderBytes, offset + tagHeaderBytes + bodyBytes),
      });
      offset += tagBytes;
      this.#neededBytes = tagHeaderBytes;
    }
    const rest = input.subarray(offset);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bufferedBytes = rest.length;
    return tags;
  }
}

/** The tags of one elementary stream, in file order. */
export async function* readFlvTags(
  source: AsyncIterable<Buffer>,
  type: number,
): AsyncGenerator<FlvTag, void, undefined> {
  const reader = new FlvReader();
  for await (const chunk of source) {
    for (const tag of reader.read(chunk)) {
      if (tag.type === type) yield tag;
    }
  }
}
