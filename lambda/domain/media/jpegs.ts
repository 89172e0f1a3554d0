// JPEGs in a row, as ffmpeg writes pictures.

/** End marker of a JPEG (ITU-T T.81). Coded data has FF only before 00 and in restart markers. */
const endOfImage = Buffer.of(0xff, 0xd9);

/** The complete JPEGs in bytes that begin with one. Bytes after them are left out. */
export function jpegsIn(bytes: Buffer): Buffer[] {
  const images: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(endOfImage); end >= 0; end = bytes.indexOf(endOfImage, start)) {
    images.push(bytes.subarray(start, end + endOfImage.length));
    start = end + endOfImage.length;
  }
  return images;
}

/** The JPEGs of a stream of bytes, each when it is complete. */
export async function* jpegsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk]);
    const images = jpegsIn(bytes);
    bytes = bytes.subarray(images.reduce((sum, { length }) => sum + length, 0));
    yield* images;
  }
}
