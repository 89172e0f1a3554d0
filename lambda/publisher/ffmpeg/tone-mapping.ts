// The ffmpeg filters that turn high dynamic range into the range of BT.709. Only tables and a matrix: every build of ffmpeg has these filters.
import type { DynamicRange } from '../../domain/video-format.ts';

/** Brightest light kept apart from white, in cd/m²: what most films are mastered for, and the nominal peak of HLG (BT.2100). */
const peakNits = 1000;
/** Diffuse white (BT.2408, table 1). */
const whiteNits = 203;
/** Up to this share of diffuse white, light stays as it is: faces and everything darker. */
const knee = 0.3;

/** The light of a code value, 0 to 1 of the peak. SMPTE ST 2084, 5.1. */
const pqLight = (code: string): string => {
  const root = `pow(${code},1/78.84375)`;
  return `${10_000 / peakNits}*pow(max(${root}-0.8359375,0)/(18.8515625-18.6875*${root}),1/0.1593017578125)`;
};
/** BT.2100, table 5; the system gamma of 1.2 by channel, which is exact for greys. */
const hlgLight = (code: string): string =>
  `pow(if(lte(${code},0.5),pow(${code},2)/3,(exp((${code}-0.55991073)/0.17883277)+0.28466892)/12),1.2)`;

/** Light relative to diffuse white, bent so that the peak becomes 1: straight up to the knee, from there on a hyperbola of the same slope. */
function compressed(light: string): string {
  const peak = peakNits / whiteNits;
  const a = (-(knee ** 2) * (peak - 1)) / (knee ** 2 - 2 * knee + peak);
  const b = (knee ** 2 - 2 * knee * peak + peak) / (peak - 1);
  const scale = (b ** 2 + 2 * b * knee + knee ** 2) / (b - a);
  return `if(lte(${light},${knee}),${light},${scale}*(${light}+${a})/(${light}+${b}))`;
}
/** What screens for the web undo (IEC 61966-2-1). Its straight foot keeps the steps of dark shades below those of 8 bits. */
const codeOf = (light: string): string => `if(lte(${light},0.0031308),12.92*${light},1.055*pow(${light},1/2.4)-0.055)`;

/** The same table for the three channels, of a value from 0 to 1. */
const table = (value: string): string =>
  `lutrgb=${['r', 'g', 'b'].map((channel) => `${channel}='${value}'`).join(':')}`;
const toLight = { pq: pqLight, hlg: hlgLight };
/** From the primaries of BT.2020 to those of BT.709, in light (BT.2407, 2.2); what BT.709 cannot show is cut off. */
const toBt709Primaries =
  'colorchannelmixer=rr=1.6605:rg=-0.5876:rb=-0.0728:gr=-0.1246:gg=1.1329:gb=-0.0083:br=-0.0182:bg=-0.1006:bb=1.1187';

/** For pictures in BT.2020; gives RGB with 16 bits in BT.709. Nothing for what needs none. */
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
