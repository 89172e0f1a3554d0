// Writes the header of each AAC frame in a transport stream (ISO/IEC 13818-7, 6.2).

const headerBytes = 7;

/** The fields that all headers of a stream share. */
export interface AdtsFormat {
  /** The MPEG-4 audio object type: 2 for AAC-LC. */
  readonly objectType: number;
  readonly sampleRateIndex: number;
  readonly channels: number;
}

/** @param config an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1) of a type and rate that need no escape */
export function adtsFormatOf(config: Buffer): AdtsFormat {
  const bits = config.readUInt16BE(0);
  return { objectType: bits >> 11, sampleRateIndex: (bits >> 7) & 0x0f, channels: (bits >> 3) & 0x0f };
}

/** The header of a frame. */
export function adtsHeader({ objectType, sampleRateIndex, channels }: AdtsFormat, frameBytes: number): Buffer {
  const length = headerBytes + frameBytes;
  return Buffer.of(
    0xff,
    0xf1,
    ((objectType - 1) << 6) | (sampleRateIndex << 2) | (channels >> 2),
    ((channels & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  );
}
