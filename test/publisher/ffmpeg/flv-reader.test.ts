// The reader parses an FLV file into the same tags, however its bytes arrive.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readFlvTags } from '../../../lambda/publisher/ffmpeg/flv-reader.ts';

const fileHeader = Buffer.from('FLV\x01\x05\0\0\0\x09\0\0\0\0', 'latin1');

function tagBytes({ type, timestampMs, body }: { type: number; timestampMs: number; body: Uint8Array }): Buffer {
  const header = Buffer.alloc(11);
  header[0] = type;
  header.writeUIntBE(body.length, 1, 3);
  header.writeUIntBE(timestampMs & 0xffffff, 4, 3);
  header[7] = timestampMs >>> 24;
  return Buffer.concat([header, body, Buffer.alloc(4)]);
}

const tag = fc.record({
  type: fc.constantFrom(8, 9, 18),
  timestampMs: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  body: fc.uint8Array({ maxLength: 300 }),
});

async function* piecesOf(file: Buffer, sizes: readonly number[]) {
  for (let offset = 0, piece = 0; offset < file.length; piece++) {
    const size = sizes[piece % sizes.length]!;
    yield file.subarray(offset, offset + size);
    offset += size;
  }
}

it('the reader gives the tags that were written, in whatever pieces they come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(tag, { maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
      async (tags, pieceSizes) => {
        const file = Buffer.concat([fileHeader, ...tags.map(tagBytes)]);
        const written = tags.map(({ body, ...rest }) => ({ ...rest, body: Buffer.from(body) }));
        for (const type of [8, 9, 18]) {
          const found = [];
          for await (const one of readFlvTags(piecesOf(file, pieceSizes), type)) found.push(one);
          expect(found).toEqual(written.filter((one) => one.type === type));
        }
      },
    ),
  );
});

it('the reader refuses bytes that are not FLV', async () => {
  const tags = readFlvTags(piecesOf(Buffer.from('<html>not found</html>'), [22]), 9);
  await expect(tags.next()).rejects.toThrow('FLV');
});
