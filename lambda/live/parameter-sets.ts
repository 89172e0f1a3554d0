// The parameter sets of a stream of H.264, and the decoder configuration record of them (ISO/IEC 14496-15, 5.3.3.1).

/** Numbers of sets (H.264, 7.4.2). A record counts the first kind in 5 bits. */
const mostSequenceSets = 31;
const mostPictureSets = 255;
/** The largest sets known, with all scaling lists, have some hundred bytes. */
const mostSetBytes = 4096;
const mostBytes = 32 * 1024;
/** Profiles whose record states the format of samples. */
const plainProfiles = new Set([66, 77, 88]);
const profileStart = 1;
const sequenceNumberStart = 4;

export class ParameterSets {
  readonly #sequenceSets = new Map<number, Buffer>();
  readonly #pictureSets = new Map<number, Buffer>();
  /** The sum of the lengths of all sets. */
  #bytes = 0;
  #isChanged = false;

  takeSequenceSet(unit: Buffer): void {
    const number = new BitReader(unit, sequenceNumberStart).unsigned();
    if (number >= mostSequenceSets || unit.length <= sequenceNumberStart) return;
    const before = this.#sequenceSets.get(number);
    if (before?.equals(unit) || !this.#take(this.#sequenceSets, number, unit) || !before) return;
    // Sets of pictures belong to the sequence that they follow.
    for (const { length } of this.#pictureSets.values()) this.#bytes -= length;
    this.#pictureSets.clear();
  }

  takePictureSet(unit: Buffer): void {
    const number = new BitReader(unit, 1).unsigned();
    if (number >= mostPictureSets || this.#pictureSets.get(number)?.equals(unit)) return;
    this.#take(this.#pictureSets, number, unit);
  }

  /** @returns the record, if the sets are whole and have changed since the last call with a record; else null */
  takeNewRecord(): Buffer | null {
    if (!this.#isChanged || this.#sequenceSets.size === 0 || this.#pictureSets.size === 0) return null;
    this.#isChanged = false;
    const sequences = inOrder(this.#sequenceSets);
    const pictures = inOrder(this.#pictureSets);
    const first = sequences[0]!;
    const profile = first.subarray(profileStart, sequenceNumberStart);
    return Buffer.concat([
      Buffer.of(1, ...profile, 0xff, 0xe0 | sequences.length),
      ...sequences.flatMap(withLength),
      Buffer.of(pictures.length),
      ...pictures.flatMap(withLength),
      plainProfiles.has(profile[0]!) ? Buffer.alloc(0) : sampleFormatOf(first),
    ]);
  }

  /** @returns false if the set is too large, or all sets would be */
  #take(sets: Map<number, Buffer>, number: number, unit: Buffer): boolean {
    const bytes = this.#bytes - (sets.get(number)?.length ?? 0) + unit.length;
    if (unit.length > mostSetBytes || bytes > mostBytes) return false;
    sets.set(number, Buffer.from(unit));
    this.#bytes = bytes;
    this.#isChanged = true;
    return true;
  }
}

function inOrder(sets: ReadonlyMap<number, Buffer>): Buffer[] {
  return [...sets].toSorted(([one], [other]) => one - other).map(([, set]) => set);
}

function withLength(set: Buffer): Buffer[] {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(set.length);
  return [length, set];
}

/** Chroma and depth of the samples, as the end of a record of the higher profiles. */
function sampleFormatOf(sequenceSet: Buffer): Buffer {
  const bits = new BitReader(sequenceSet, sequenceNumberStart);
  bits.unsigned();
  const chroma = bits.unsigned();
  // Separate planes of colour.
  if (chroma === 3) bits.bit();
  const [luma, colour] = [bits.unsigned(), bits.unsigned()];
  return Buffer.of(0xfc | (chroma & 3), 0xf8 | (luma & 7), 0xf8 | (colour & 7), 0);
}

/** Reads numbers of Exp-Golomb codes (H.264, 9.1). Bits after the end are 0. */
class BitReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, startByte: number) {
    this.#bytes = bytes;
    this.#at = 8 * startByte;
  }

  bit(): number {
    const byte = this.#bytes[this.#at >> 3] ?? 0;
    const bit = (byte >> (7 - (this.#at & 7))) & 1;
    this.#at++;
    return bit;
  }

  /** @returns Infinity for a code that is longer than any field's */
  unsigned(): number {
    let zeros = 0;
    while (this.bit() === 0) if (++zeros > 16) return Infinity;
    let value = 1;
    for (let read = 0; read < zeros; read++) value = value * 2 + this.bit();
    return value - 1;
  }
}
