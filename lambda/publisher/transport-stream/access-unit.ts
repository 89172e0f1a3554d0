// Converts pictures for transport streams: NAL units with start codes, and the parameter sets that decoders need.
import type { TransportCodec } from './program-tables.ts';

const startCode = Buffer.of(0, 0, 0, 1);
/** Access unit delimiters, which begin every picture and allow any type of picture (H.264 7.3.2.4, H.265 7.3.2.5). */
const delimiters: Readonly<Record<TransportCodec, Buffer>> = {
  h264: Buffer.of(0, 0, 0, 1, 0x09, 0xf0),
  hevc: Buffer.of(0, 0, 0, 1, 0x46, 0x01, 0x50),
};
const delimiterType: Readonly<Record<TransportCodec, number>> = { h264: 9, hevc: 35 };

/** The parameter sets of a decoder configuration record (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1), with start codes. */
export function parameterSetsOf(codec: TransportCodec, record: Buffer): Buffer {
  const sets: Buffer[] = [];
  let at = codec === 'h264' ? 5 : 22;
  const take = (count: number) => {
    for (let index = 0; index < count; index++) {
      const length = record.readUInt16BE(at);
      sets.push(startCode, record.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
  };
  if (codec === 'h264') {
    for (const mask of [0x1f, 0xff]) take(record[at++]! & mask);
  } else {
    for (let arrays = record[at++]!; arrays > 0; arrays--) {
      at += 3;
      take(record.readUInt16BE(at - 2));
    }
  }
  return Buffer.concat(sets);
}

/**
 * The units of a picture, with start codes.
 * @param data the picture as in FLV: each unit after its length in four bytes
 * @param parameterSets parameter sets to put first; null for a picture at which decoding does not begin
 */
export function accessUnit(codec: TransportCodec, data: Buffer, parameterSets: Buffer | null): Buffer[] {
  const units: Buffer[] = [delimiters[codec]];
  if (parameterSets) units.push(parameterSets);
  for (let at = 0; at + 4 < data.length;) {
    const length = data.readUInt32BE(at);
    const unit = data.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    if (unitType(codec, unit) !== delimiterType[codec]) units.push(startCode, unit);
  }
  return units;
}

function unitType(codec: TransportCodec, unit: Buffer): number {
  return codec === 'h264' ? unit[0]! & 0x1f : (unit[0]! >> 1) & 0x3f;
}
