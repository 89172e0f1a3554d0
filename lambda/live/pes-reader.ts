// Puts the units of one elementary stream together from packets of a transport stream (ISO/IEC 13818-1, 2.4.3.6).
import type { PacketPayload } from './transport-packet.ts';

/** A picture, or some frames of sound. */
export interface PesUnit {
  /** Time of the decoding in ticks of 90 kHz. */
  readonly dts: number;
  /** Time of the display in ticks of 90 kHz. */
  readonly pts: number;
  /** Valid until the receiver returns. */
  readonly data: Buffer;
  /** Whether bytes of the track are missing before this unit. */
  readonly followsGap: boolean;
}

const firstBytes = 16 * 1024;
/** A larger memory is not kept for the next unit. */
const mostKeptBytes = 256 * 1024;
const fixedBytes = 9;
/** The length counts from here. */
const lengthEnd = 6;
const timestampBytes = 5;

/** A unit with a gap, without a time, or longer than the bound is dropped. */
export class PesReader {
  readonly #mostBytes: number;
  #memory: Buffer = Buffer.alloc(0);
  #bytes = 0;
  /** Whether a unit is being put together. */
  #isInside = false;
  #counter: number | null = null;
  #hasGap = false;
  readonly #receive: (unit: PesUnit) => void;

  /** @param receive called for each unit that is whole */
  constructor(mostBytes: number, receive: (unit: PesUnit) => void) {
    this.#mostBytes = mostBytes;
    this.#receive = receive;
  }

  get heldBytes(): number {
    return this.#memory.length;
  }

  read({ data, beginsUnit, counter, isDiscontinuous }: PacketPayload): void {
    // Packets without a payload do not count, and a packet may be repeated once.
    if (data.length === 0 || (counter === this.#counter && !isDiscontinuous)) return;
    const expected = this.#counter === null ? counter : (this.#counter + 1) & 0x0f;
    this.#counter = counter;
    if (counter !== expected && !isDiscontinuous) this.#drop();
    if (beginsUnit) {
      this.end();
      this.#isInside = true;
    }
    if (!this.#isInside) return;
    if (this.#bytes + data.length > this.#mostBytes) return this.#drop();
    this.#append(data);
    if (this.#isWhole()) this.end();
  }

  /** Drops the unit that is being put together, as bytes are missing. */
  lost(): void {
    this.#counter = null;
    this.#drop();
  }

  /** Gives the unit that is being put together. */
  end(): void {
    if (!this.#isInside) return;
    const unit = unitOf(this.#memory.subarray(0, this.#bytes));
    if (unit) this.#receive({ ...unit, followsGap: this.#hasGap });
    this.#hasGap = unit === null;
    this.#reset();
  }

  #append(data: Buffer): void {
    if (this.#bytes + data.length > this.#memory.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * this.#memory.length));
      this.#memory.copy(grown, 0, 0, this.#bytes);
      this.#memory = grown;
    }
    this.#bytes += data.copy(this.#memory, this.#bytes);
  }

  #drop(): void {
    this.#hasGap = true;
    this.#reset();
  }

  #reset(): void {
    this.#isInside = false;
    this.#bytes = 0;
    if (this.#memory.length > mostKeptBytes) this.#memory = Buffer.alloc(0);
  }

  /** Whether the unit states its length, and has it. Pictures often state none, and end when the next one begins. */
  #isWhole(): boolean {
    if (!this.#isInside || this.#bytes < lengthEnd) return false;
    const stated = this.#memory.readUInt16BE(4);
    return stated > 0 && this.#bytes >= lengthEnd + stated;
  }
}

/** @returns null for a unit that is cut short, without a time, or no picture or sound */
function unitOf(bytes: Buffer): Omit<PesUnit, 'followsGap'> | null {
  if (bytes.length < fixedBytes || bytes.readUIntBE(0, 3) !== 1 || (bytes[6]! & 0xc0) !== 0x80) return null;
  const times = bytes[7]! >> 6;
  const start = fixedBytes + bytes[8]!;
  const stated = bytes.readUInt16BE(4);
  const end = stated === 0 ? bytes.length : lengthEnd + stated;
  const hasTimes = times >= 2 && bytes[8]! >= (times - 1) * timestampBytes;
  if (!hasTimes || start >= end || end > bytes.length) return null;
  const pts = timestampAt(bytes, fixedBytes);
  return {
    pts,
    dts: times === 3 ? timestampAt(bytes, fixedBytes + timestampBytes) : pts,
    data: bytes.subarray(start, end),
  };
}

function timestampAt(bytes: Buffer, at: number): number {
  const high = (bytes[at]! >> 1) & 7;
  return high * 2 ** 30 + (bytes.readUInt16BE(at + 1) >> 1) * 2 ** 15 + (bytes.readUInt16BE(at + 3) >> 1);
}
