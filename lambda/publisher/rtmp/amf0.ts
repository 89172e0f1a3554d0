// AMF0, the encoding of RTMP commands and stream metadata (Adobe "Action Message Format -- AMF 0", 2007).
import { RtmpProtocolError } from './protocol-error.ts';

export interface Amf0Object {
  [key: string]: Amf0Value;
}

/**
 * A decoded value. Objects, typed objects and ECMA arrays of AMF0 all become objects without a prototype; a date
 * becomes its milliseconds.
 */
export type Amf0Value = string | number | boolean | null | undefined | Amf0Value[] | Amf0Object;

/** A value that can be encoded. A Map becomes an ECMA array, which the FLV specification asks for in onMetaData. */
export type Amf0Input = Amf0Value | ReadonlyMap<string, Amf0Value>;

const marker = {
  number: 0,
  boolean: 1,
  string: 2,
  object: 3,
  null: 5,
  undefined: 6,
  ecmaArray: 8,
  objectEnd: 9,
  strictArray: 10,
  date: 11,
  longString: 12,
  unsupported: 13,
  xmlDocument: 15,
  typedObject: 16,
} as const;

const maxDepth = 16;
const maxValues = 10_000;

/** Encodes the values one after the other. */
export function encodeAmf0(values: readonly Amf0Input[]): Buffer {
  return Buffer.concat(values.flatMap(encodeValue));
}

/**
 * Decodes every value in `bytes`.
 * @throws {RtmpProtocolError} when `bytes` are cut short, hold more than 10,000 values or values nested deeper than 16,
 * or a type that RTMP does not use
 */
export function decodeAmf0(bytes: Buffer): Amf0Value[] {
  const decoder = new Decoder(bytes);
  const values: Amf0Value[] = [];
  while (!decoder.atEnd) values.push(decoder.value(0));
  return values;
}

function encodeValue(value: Amf0Input): Buffer[] {
  if (value === null) return [Buffer.of(marker.null)];
  if (value === undefined) return [Buffer.of(marker.undefined)];
  if (typeof value === 'boolean') return [Buffer.of(marker.boolean, value ? 1 : 0)];
  if (typeof value === 'string') return encodeString(value);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9);
    bytes.writeDoubleBE(value, 1);
    return [bytes];
  }
  if (Array.isArray(value)) return [markerAndCount(marker.strictArray, value.length), ...value.flatMap(encodeValue)];
  if (value instanceof Map) return [markerAndCount(marker.ecmaArray, value.size), ...encodeProperties([...value])];
  return [Buffer.of(marker.object), ...encodeProperties(Object.entries(value))];
}

function encodeString(text: string): Buffer[] {
  const utf8 = Buffer.from(text);
  if (utf8.length > 0xffff) return [markerAndCount(marker.longString, utf8.length), utf8];
  return [Buffer.of(marker.string), encodeKey(text)];
}

function encodeKey(text: string): Buffer {
  const utf8 = Buffer.from(text);
  const bytes = Buffer.alloc(2 + utf8.length);
  bytes.writeUInt16BE(utf8.length);
  utf8.copy(bytes, 2);
  return bytes;
}

function encodeProperties(entries: readonly [string, Amf0Input][]): Buffer[] {
  return [
    ...entries.flatMap(([key, value]) => [encodeKey(key), ...encodeValue(value)]),
    Buffer.of(0, 0, marker.objectEnd),
  ];
}

function markerAndCount(type: number, count: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(type);
  bytes.writeUInt32BE(count, 1);
  return bytes;
}

class Decoder {
  readonly #bytes: Buffer;
  #offset = 0;
  #valuesRead = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  value(depth: number): Amf0Value {
    if (depth > maxDepth) throw new RtmpProtocolError('AMF0 nested too deep');
    if (++this.#valuesRead > maxValues) throw new RtmpProtocolError('AMF0 with too many values');
    const type = this.#take(1).readUInt8();
    switch (type) {
      case marker.number:
        return this.#take(8).readDoubleBE();
      case marker.boolean:
        return this.#take(1).readUInt8() !== 0;
      case marker.string:
        return this.#key();
      case marker.longString:
      case marker.xmlDocument:
        return this.#take(this.#count()).toString();
      case marker.null:
        return null;
      case marker.undefined:
      case marker.unsupported:
        return undefined;
      case marker.object:
        return this.#properties(depth);
      case marker.typedObject:
        this.#key();
        return this.#properties(depth);
      case marker.ecmaArray:
        this.#count();
        return this.#properties(depth);
      case marker.strictArray:
        return this.#items(depth);
      case marker.date: {
        const milliseconds = this.#take(8).readDoubleBE();
        this.#take(2);
        return milliseconds;
      }
      default:
        throw new RtmpProtocolError(`AMF0 type ${type} is not used in RTMP`);
    }
  }

  #items(depth: number): Amf0Value[] {
    const items: Amf0Value[] = [];
    for (let remaining = this.#count(); remaining > 0; remaining--) items.push(this.value(depth + 1));
    return items;
  }

  #properties(depth: number): Amf0Object {
    // The object has no prototype, so that a key like __proto__ is only a key.
    const object: Amf0Object = { __proto__: null };
    for (;;) {
      const key = this.#key();
      if (key === '' && this.#bytes[this.#offset] === marker.objectEnd) {
        this.#offset++;
        return object;
      }
      object[key] = this.value(depth + 1);
    }
  }

  #key(): string {
    return this.#take(this.#take(2).readUInt16BE()).toString();
  }

  #count(): number {
    return this.#take(4).readUInt32BE();
  }

  #take(length: number): Buffer {
    if (length > this.#bytes.length - this.#offset) throw new RtmpProtocolError('AMF0 cut short');
    this.#offset += length;
    return this.#bytes.subarray(this.#offset - length, this.#offset);
  }
}
