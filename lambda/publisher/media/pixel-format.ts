// Derives the memory of a decoded picture from ffmpeg's name of its pixel format.

/** Samples per pixel, by the beginning of the name. Four for all others. */
const samplesPerPixel: readonly (readonly [RegExp, number])[] = [
  [/^yuva/u, 4],
  [/^yuvj?(?:410|411|420)/u, 1.5],
  [/^yuvj?(?:422|440)/u, 2],
  [/^yuvj?444/u, 3],
  [/^(?:nv1[26]|nv21|p0\d\d)/u, 1.5],
  [/^(?:nv|p2\d\d|yuyv|uyvy|yvyu|y2\d\d)/u, 2],
  [/^(?:gray|mono|pal8|bayer)/u, 1],
  [/^ya/u, 2],
  [/^(?:rgb24|bgr24|rgb48|bgr48|gbrp|xyz|rgbf|nv24|p4\d\d)/u, 3],
];

/** @param name the name of a pixel format; undefined if unknown, which counts as the largest */
export function pixelFormatFacts(name: string | undefined): { bytesPerPixel: number; isDeep: boolean } {
  if (name === undefined) return { bytesPerPixel: 8, isDeep: true };
  const samples = samplesPerPixel.find(([beginning]) => beginning.test(name))?.[1] ?? 4;
  const isFloat = /f(?:32|16)/u.test(name);
  const isDeep = isFloat || /(?:9|1[0-6]|48|64)(?:le|be)$/u.test(name);
  const bytesPerSample = /f32/u.test(name) ? 4 : isDeep ? 2 : 1;
  return { bytesPerPixel: samples * bytesPerSample, isDeep };
}
