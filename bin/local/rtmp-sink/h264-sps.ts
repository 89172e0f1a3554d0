// Reads picture size and frame rate from the sequence parameter set (SPS) in an H.264 sequence header.

export interface PictureFormat {
  readonly width: number;
  readonly height: number;
  /** Frames per second; null if the stream does not contain it. */
  readonly framerate: number | null;
}

/** Bytes of the tag's body before its AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1). */
const tagBodyHeaderBytes = 5;
const spsLengthOffset = tagBodyHeaderBytes + 6;
const profilesWithChromaFormat = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);
const extendedAspectRatio = 255;

/** @returns null if the body is no readable sequence header */
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

/** The fields have the order of ITU-T H.264, 7.3.2.1.1. Comments name the skipped ones. */
function parseSps(bits: BitReader): PictureFormat {
  const profile = bits.unsigned(8);
  bits.skip(16); // constraint flags, level_idc
  bits.golomb(); // seq_parameter_set_id
  const chromaFormat = profilesWithChromaFormat.has(profile) ? skipHighProfileFields(bits) : 1;
  bits.golomb(); // log2_max_frame_num_minus4
  const pictureOrderType = bits.golomb();
  if (pictureOrderType === 0) bits.golomb(); // log2_max_pic_order_cnt_lsb_minus4
  if (pictureOrderType === 1) {
    bits.skip(1); // delta_pic_order_always_zero_flag
    bits.skipGolombs(2); // offset_for_non_ref_pic, offset_for_top_to_bottom_field
    const cycleLength = bits.golomb();
    bits.skipGolombs(cycleLength); // offset_for_ref_frame
  }
  bits.golomb(); // max_num_ref_frames
  bits.skip(1); // gaps_in_frame_num_value_allowed_flag
  const widthInMacroblocks = bits.golomb() + 1;
  const heightInMapUnits = bits.golomb() + 1;
  const frameMacroblocksOnly = bits.unsigned(1);
  if (frameMacroblocksOnly === 0) bits.skip(1); // mb_adaptive_frame_field_flag
  bits.skip(1); // direct_8x8_inference_flag
  const crop = { left: 0, right: 0, top: 0, bottom: 0 };
  if (bits.flag()) {
    for (const side of ['left', 'right', 'top', 'bottom'] as const) crop[side] = bits.golomb();
  }

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
  if (chromaFormat === 3) bits.skip(1); // separate_colour_plane_flag
  bits.skipGolombs(2); // bit depths of luma and chroma
  bits.skip(1); // qpprime_y_zero_transform_bypass_flag
  const hasScalingLists = bits.flag();
  if (!hasScalingLists) return chromaFormat;
  const listCount = chromaFormat === 3 ? 12 : 8;
  for (let list = 0; list < listCount; list++) {
    if (bits.flag()) skipScalingList(bits, list < 6 ? 16 : 64);
  }
  return chromaFormat;
}

function skipScalingList(bits: BitReader, size: number): void {
  let scale = 8;
  for (let index = 0; index < size && scale !== 0; index++) scale = (scale + bits.signedGolomb() + 256) % 256;
}

/** Reads the video usability information (VUI), whose fields have the order of ITU-T H.264, E.1.1. */
function framerateOfVui(bits: BitReader): number | null {
  const hasAspectRatio = bits.flag();
  if (hasAspectRatio && bits.unsigned(8) === extendedAspectRatio) bits.skip(32); // sar_width, sar_height
  const hasOverscan = bits.flag();
  if (hasOverscan) bits.skip(1); // overscan_appropriate_flag
  const hasSignalType = bits.flag();
  if (hasSignalType) {
    bits.skip(4); // video_format, video_full_range_flag
    const hasColours = bits.flag();
    if (hasColours) bits.skip(24); // colour_primaries, transfer_characteristics, matrix_coefficients
  }
  const hasChromaLocation = bits.flag();
  if (hasChromaLocation) bits.skipGolombs(2); // chroma_sample_loc_type of both fields
  const hasTiming = bits.flag();
  if (!hasTiming) return null;
  const unitsInTick = bits.unsigned(32);
  const timeScale = bits.unsigned(32);
  // A tick is the time of a field, and a frame has two fields.
  return unitsInTick > 0 ? timeScale / (2 * unitsInTick) : null;
}

/** Removes each byte 3 that an encoder inserted after two zero bytes to keep start codes out of the data. */
function withoutEmulationPrevention(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes.filter((byte, index) => !(byte === 3 && index >= 2 && bytes[index - 1] === 0 && bytes[index - 2] === 0)),
  );
}

/** Reads bits, the most significant of each byte first. Its methods throw a RangeError at the end of the bytes. */
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

  /** An unsigned Exp-Golomb code, ue(v). */
  golomb(): number {
    let zeros = 0;
    while (!this.flag()) zeros++;
    return 2 ** zeros - 1 + this.unsigned(zeros);
  }

  /** A signed Exp-Golomb code, se(v). */
  signedGolomb(): number {
    const code = this.golomb();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }

  skipGolombs(count: number): void {
    for (let index = 0; index < count; index++) this.golomb();
  }
}
