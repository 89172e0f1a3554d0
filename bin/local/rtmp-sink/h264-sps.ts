// Picture size and frame rate from an H.264 sequence header (ITU-T H.264, 7.3.2.1.1 and E.1.1; ISO/IEC 14496-15, 5.3.3.1).

export interface PictureFormat {
  readonly width: number;
  readonly height: number;
  /** Frames per second; null when the stream does not say. */
  readonly framerate: number | null;
}

/** Bytes of the AVC video tag body before the AVCDecoderConfigurationRecord. */
const tagBodyHeaderBytes = 5;
const spsLengthOffset = tagBodyHeaderBytes + 6;
const profilesWithChromaFormat = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);
const extendedAspectRatio = 255;

/** @returns null when the body is no sequence header that can be read */
export function pictureFormat(videoTagBody: Buffer): PictureFormat | null {
  if (videoTagBody.length < spsLengthOffset + 2) return null;
  const start = spsLengthOffset + 2;
  const sps = videoTagBody.subarray(start, start + videoTagBody.readUInt16BE(spsLengthOffset));
  try {
    return parseSps(new BitReader(withoutEmulationPrevention(sps.subarray(1))));
  } catch {
    return null;
  }
}

function parseSps(bits: BitReader): PictureFormat {
  const profile = bits.unsigned(8);
  bits.skip(16);
  bits.golomb();
  const chromaFormat = profilesWithChromaFormat.has(profile) ? skipHighProfileFields(bits) : 1;
  bits.golomb();
  const pictureOrderType = bits.golomb();
  if (pictureOrderType === 0) bits.golomb();
  if (pictureOrderType === 1) {
    bits.skip(1);
    bits.skipGolombs(2);
    bits.skipGolombs(bits.golomb());
  }
  bits.golomb();
  bits.skip(1);
  const widthInMacroblocks = bits.golomb() + 1;
  const heightInMapUnits = bits.golomb() + 1;
  const frameMacroblocksOnly = bits.unsigned(1);
  if (frameMacroblocksOnly === 0) bits.skip(1);
  bits.skip(1);
  const crop = { left: 0, right: 0, top: 0, bottom: 0 };
  if (bits.flag()) for (const side of ['left', 'right', 'top', 'bottom'] as const) crop[side] = bits.golomb();

  const cropUnitX = chromaFormat === 1 || chromaFormat === 2 ? 2 : 1;
  const cropUnitY = (chromaFormat === 1 ? 2 : 1) * (2 - frameMacroblocksOnly);
  return {
    width: 16 * widthInMacroblocks - cropUnitX * (crop.left + crop.right),
    height: 16 * heightInMapUnits * (2 - frameMacroblocksOnly) - cropUnitY * (crop.top + crop.bottom),
    framerate: bits.flag() ? framerateOfVui(bits) : null,
  };
}

/** @returns chroma_format_idc */
function skipHighProfileFields(bits: BitReader): number {
  const chromaFormat = bits.golomb();
  if (chromaFormat === 3) bits.skip(1);
  bits.skipGolombs(2);
  bits.skip(1);
  if (!bits.flag()) return chromaFormat;
  for (let list = 0; list < (chromaFormat === 3 ? 12 : 8); list++) {
    if (bits.flag()) skipScalingList(bits, list < 6 ? 16 : 64);
  }
  return chromaFormat;
}

function skipScalingList(bits: BitReader, size: number): void {
  let scale = 8;
  for (let index = 0; index < size && scale !== 0; index++) scale = (scale + bits.signedGolomb() + 256) % 256;
}

function framerateOfVui(bits: BitReader): number | null {
  if (bits.flag() && bits.unsigned(8) === extendedAspectRatio) bits.skip(32);
  if (bits.flag()) bits.skip(1);
  if (bits.flag()) {
    bits.skip(4);
    if (bits.flag()) bits.skip(24);
  }
  if (bits.flag()) bits.skipGolombs(2);
  if (!bits.flag()) return null;
  const unitsInTick = bits.unsigned(32);
  const timeScale = bits.unsigned(32);
  // A tick is a field, two to the frame.
  return unitsInTick > 0 ? timeScale / (2 * unitsInTick) : null;
}

/** Removes the 03 that encoders put after two zero bytes. */
function withoutEmulationPrevention(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes.filter((byte, index) => !(byte === 3 && index >= 2 && bytes[index - 1] === 0 && bytes[index - 2] === 0)),
  );
}

/** Reads bits from the most significant on; throws RangeError at the end. */
class BitReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  unsigned(bitCount: number): number {
    let value = 0;
    for (let bit = 0; bit < bitCount; bit++, this.#position++) {
      if (this.#position >= 8 * this.#bytes.length) throw new RangeError('end of the parameter set');
      value = value * 2 + ((this.#bytes[this.#position >> 3]! >> (7 - (this.#position & 7))) & 1);
    }
    return value;
  }

  flag(): boolean {
    return this.unsigned(1) === 1;
  }

  skip(bitCount: number): void {
    this.unsigned(bitCount);
  }

  /** ue(v) */
  golomb(): number {
    let zeros = 0;
    while (!this.flag()) zeros++;
    return 2 ** zeros - 1 + this.unsigned(zeros);
  }

  /** se(v) */
  signedGolomb(): number {
    const code = this.golomb();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }

  skipGolombs(count: number): void {
    for (let index = 0; index < count; index++) this.golomb();
  }
}
