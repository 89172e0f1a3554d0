// Pictures of H.264 from a transport stream as FLV tags: units after their lengths, and parameter sets by themselves.
import type { ContributedTag } from './contribution.ts';
import { ParameterSets } from './parameter-sets.ts';
import type { PesUnit } from './pes-reader.ts';

const startCode = Buffer.of(0, 0, 1);
const unitType = { keyframe: 5, sequenceSet: 7, pictureSet: 8, delimiter: 9, filler: 12 } as const;
/** A picture has one unit for each of its slices, and a few others. */
const mostUnits = 4096;
/** Parameter sets that are read of a picture. Encoders send a few, and strangers thousands. */
const mostSets = 64;
const ticksPerMs = 90;
/** A larger distance of display and decoding is damage. */
const mostCompositionMs = 60_000;
const lengthBytes = 4;

/** The units of a picture, which begin with start codes (H.264, annex B); at most `most` and one more. */
export function splitAnnexB(data: Buffer, most: number): Buffer[] {
  const units: Buffer[] = [];
  let at = data.indexOf(startCode);
  while (at !== -1 && units.length <= most) {
    const start = at + startCode.length;
    at = data.indexOf(startCode, start);
    let end = at === -1 ? data.length : at;
    while (end > start && data[end - 1] === 0) end--;
    if (end > start) units.push(data.subarray(start, end));
  }
  return units;
}

export class AnnexBTags {
  readonly #sets = new ParameterSets();

  /** The tags of one picture: a sequence header first if the parameter sets are new. */
  read({ dts, pts, data }: PesUnit): ContributedTag[] {
    const timestampMs = Math.round(dts / ticksPerMs);
    const compositionMs = Math.round(pts / ticksPerMs) - timestampMs;
    const units = splitAnnexB(data, mostUnits);
    if (units.length > mostUnits || Math.abs(compositionMs) > mostCompositionMs) return [];
    const types = units.map((unit) => unit[0]! & 0x1f);
    this.#takeSets(units, types);
    const record = this.#sets.takeNewRecord();
    const header = record && videoTag(timestampMs, true, 0, 0, [record]);
    const kept = units.filter((_, index) => isKept(types[index]!));
    const tags = header ? [header] : [];
    if (!types.some((type) => type >= 1 && type <= unitType.keyframe)) return tags;
    // Encoders that refresh the picture bit by bit send parameter sets at the places at which decoding can begin.
    const isKeyframe = types.includes(unitType.keyframe) || types.includes(unitType.sequenceSet);
    return [...tags, videoTag(timestampMs, isKeyframe, 1, compositionMs, kept.flatMap(withLength))];
  }

  #takeSets(units: readonly Buffer[], types: readonly number[]): void {
    let taken = 0;
    for (const [index, unit] of units.entries()) {
      const isSequence = types[index] === unitType.sequenceSet;
      if (!isSequence && types[index] !== unitType.pictureSet) continue;
      if (++taken > mostSets) return;
      if (isSequence) this.#sets.takeSequenceSet(unit);
      else this.#sets.takePictureSet(unit);
    }
  }
}

/** Parameter sets are in the header; delimiters, ends and filler are for transport streams only. */
function isKept(type: number): boolean {
  return type < unitType.sequenceSet || type > unitType.filler;
}

function withLength(unit: Buffer): Buffer[] {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(unit.length);
  return [length, unit];
}

function videoTag(
  timestampMs: number,
  isKeyframe: boolean,
  packetType: number,
  compositionMs: number,
  parts: readonly Buffer[],
): ContributedTag {
  const head = Buffer.of(isKeyframe ? 0x17 : 0x27, packetType, 0, 0, 0);
  head.writeIntBE(compositionMs, 2, 3);
  return { type: 'video', timestampMs, body: Buffer.concat([head, ...parts]) };
}
