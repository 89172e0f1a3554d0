// JPEGs in a row, as ffmpeg writes pictures.

/** End marker of a JPEG (ITU-T T.81). Coded data has FF only before 00 and in restart markers. */
const endOfImage = Buffer.of(0xff, 0xd9);

export function jpegsIn(bytes: Buffer): Buffer[] {
  const images: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(endOfImage); end >= 0; end = bytes.indexOf(endOfImage, start)) {
    images.push(bytes.subarray(start, end + endOfImage.length));
    start = end + endOfImage.length;
  }
  return images;
}
