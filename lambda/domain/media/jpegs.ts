// JPEGs that stand one after the other, as ffmpeg writes pictures.

/** The marker at the end of a JPEG (ITU-T T.81). What is coded has no byte FF before any but 00 and restart markers. */
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
