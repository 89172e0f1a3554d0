// The header of each AAC frame in a transport stream (ISO/IEC 13818-7, 6.2), written and read.

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

/** The AudioSpecificConfig of a format. */
export function configOfAdts({ objectType, sampleRateIndex, channels }: AdtsFormat): Buffer {
  const config = Buffer.alloc(2);
  config.writeUInt16BE((objectType << 11) | (sampleRateIndex << 7) | (channels << 3));
  return config;
}

/** Sample rates by their index (ISO/IEC 14496-3, 1.6.3.4), in Hz. */
const sampleRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];
const checksumBytes = 2;

export interface AdtsFrame {
  readonly format: AdtsFormat;
  /** In Hz. */
  readonly sampleRate: number;
  readonly headerBytes: number;
  /** The length of the header and of its frame. */
  readonly bytes: number;
}

/**
 * Reads the header at the beginning of a frame.
 * @param bytes at least 7
 * @returns null if no header begins here, or if the frame has no usual channels or more than one block
 */
export function readAdtsHeader(bytes: Buffer): AdtsFrame | null {
  // The bits of the layer are 0; the bit of the MPEG version may be either.
  if ((bytes.readUInt16BE(0) & 0xfff6) !== 0xfff0) return null;
  const hasChecksum = (bytes[1]! & 1) === 0;
  const sampleRateIndex = (bytes[2]! >> 2) & 0x0f;
  const sampleRate = sampleRates[sampleRateIndex];
  const channels = ((bytes[2]! & 1) << 2) | (bytes[3]! >> 6);
  const length = ((bytes[3]! & 3) << 11) | (bytes[4]! << 3) | (bytes[5]! >> 5);
  const ownBytes = headerBytes + (hasChecksum ? checksumBytes : 0);
  const hasOneBlock = (bytes[6]! & 3) === 0;
  if (sampleRate === undefined || channels === 0 || !hasOneBlock || length <= ownBytes) return null;
  const format = { objectType: (bytes[2]! >> 6) + 1, sampleRateIndex, channels };
  return { format, sampleRate, headerBytes: ownBytes, bytes: length };
}
