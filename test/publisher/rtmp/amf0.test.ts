// AMF0: every written value can be read, and no input does harm.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeAmf0, encodeAmf0 } from '../../../lambda/publisher/rtmp/amf0.ts';
import type { Amf0Value } from '../../../lambda/publisher/rtmp/amf0.ts';
import { RtmpProtocolError } from '../../../lambda/publisher/rtmp/protocol-error.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const key = text.filter((characters) => characters !== '');
const { value: anyValue } = fc.letrec<{ value: Amf0Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: false }),
  ),
}));

/** Reads values; null if they are refused. @throws any other error */
function decodeOrRefuse(bytes: Buffer): Amf0Value[] | null {
  try {
    return decodeAmf0(bytes);
  } catch (error) {
    if (error instanceof RtmpProtocolError) return null;
    throw error;
  }
}

test('values come back as they were', () => {
  fc.assert(
    fc.property(fc.array(anyValue, { maxLength: 5 }), (values) => {
      expect(decodeAmf0(encodeAmf0(values))).toEqual(values);
    }),
  );
});

test('a string over 64 KiB comes back', () => {
  const long = 'ä'.repeat(40_000);
  expect(decodeAmf0(encodeAmf0([long]))).toEqual([long]);
});

test('a Map is written as an ECMA array, as onMetaData has to be', () => {
  const bytes = encodeAmf0([new Map([['width', 1280]])]);
  expect(bytes[0]).toBe(8);
  expect(decodeAmf0(bytes)).toEqual([{ width: 1280 }]);
});

test('a key named __proto__ is only a key', () => {
  const bytes = encodeAmf0([new Map([['__proto__', { polluted: true }]])]);
  const [value] = decodeAmf0(bytes);
  expect(Object.getPrototypeOf(value)).toBeNull();
  expect(Object.keys(value ?? {})).toEqual(['__proto__']);
});

test('values that are cut off are refused, or those that are whole are read right', () => {
  fc.assert(
    fc.property(fc.array(anyValue, { minLength: 1, maxLength: 3 }), fc.nat(), (values, cut) => {
      const bytes = encodeAmf0(values);
      const read = decodeOrRefuse(bytes.subarray(0, cut % bytes.length));
      expect(read ?? []).toEqual(values.slice(0, read?.length ?? 0));
    }),
  );
});

test('any bytes are read or refused', () => {
  const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  const readOrRefused = fc.property(anyBytes, (bytes) => void decodeOrRefuse(bytes));
  expect(() => fc.assert(readOrRefused, { numRuns: 2000 })).not.toThrow();
});

test.for([
  ['nested deeper than any command', Buffer.from('0a00000001'.repeat(5000), 'hex')],
  ['more values than any command', Buffer.alloc(1_000_000, 5)],
  ['an array longer than the message', Buffer.from('0affffffff05', 'hex')],
  ['a type that RTMP does not use', Buffer.from('07ffff', 'hex')],
] as const)('%s is refused', ([, bytes]) => {
  expect(() => decodeAmf0(bytes)).toThrow(RtmpProtocolError);
});
