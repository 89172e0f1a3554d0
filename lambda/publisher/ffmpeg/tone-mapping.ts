// The ffmpeg filters that map high dynamic range to BT.709. Every build of ffmpeg has them.
import type { DynamicRange } from '../../domain/shared/video-format.ts';

/**
 * Brighter light, in cd/m², becomes white. Most films are mastered for this peak, and it is the nominal peak of HLG
 * (BT.2100).
 */
const peakNits = 1000;
/** Diffuse white in cd/m² (BT.2408, table 1). */
const whiteNits = 203;
/** Light up to this share of diffuse white is not changed: faces and everything darker. */
const knee = 0.3;

/** The light of a code value of PQ (SMPTE ST 2084, 5.1), relative to the peak. */
const pqLight = (code: string): string => {
  const root = `pow(${code},1/78.84375)`;
  return `${10_000 / peakNits}*pow(max(${root}-0.8359375,0)/(18.8515625-18.6875*${root}),1/0.1593017578125)`;
};
/**
 * The light of a code value of HLG (BT.2100, table 5), relative to the peak. The system gamma of 1.2 is applied to each
 * channel, which is exact for greys.
 */
const hlgLight = (code: string): string =>
  `pow(if(lte(${code},0.5),pow(${code},2)/3,(exp((${code}-0.55991073)/0.17883277)+0.28466892)/12),1.2)`;

/**
 * Compresses light, given relative to diffuse white, so that the peak becomes 1. The curve is straight up to the knee,
 * and then a hyperbola that begins with the same slope.
 */
function compressed(light: string): string {
  const peak = peakNits / whiteNits;
  const a = (-(knee ** 2) * (peak - 1)) / (knee ** 2 - 2 * knee + peak);
  const b = (knee ** 2 - 2 * knee * peak + peak) / (peak - 1);
  const scale = (b ** 2 + 2 * b * knee + knee ** 2) / (b - a);
  return `if(lte(${light},${knee}),${light},${scale}*(${light}+${a})/(${light}+${b}))`;
}

/**
 * The code value that web screens display as a light (IEC 61966-2-1). The straight beginning of this curve keeps steps
 * of dark shades smaller than those of 8 bits.
 */
const codeOf = (light: string): string => `if(lte(${light},0.0031308),12.92*${light},1.055*pow(${light},1/2.4)-0.055)`;

/** The filter that applies one table to all three channels. @param value the expression for the table's values */
const table = (value: string): string =>
  `lutrgb=${['r', 'g', 'b'].map((channel) => `${channel}='${value}'`).join(':')}`;
const toLight = { pq: pqLight, hlg: hlgLight };
/** Converts light from the primaries of BT.2020 to BT.709 (BT.2407, 2.2). Colours outside BT.709 are clipped. */
const toBt709Primaries =
  'colorchannelmixer=rr=1.6605:rg=-0.5876:rb=-0.0728:gr=-0.1246:gg=1.1329:gb=-0.0083:br=-0.0182:bg=-0.1006:bb=1.1187';

/** Filters that convert pictures in BT.2020 to RGB with 16 bits in BT.709; none for a range without mapping. */
export function toneMappingFilters(range: DynamicRange): string[] {
  if (range === 'sdr') return [];
  const relative = `val/maxval*${peakNits / whiteNits}`;
  return [
    'format=gbrp16',
    table(`min(${toLight[range]('(val/maxval)')},1)*maxval`),
    toBt709Primaries,
    table(`st(0,${compressed(`(${relative})`)});(${codeOf('ld(0)')})*maxval`),
  ];
}
