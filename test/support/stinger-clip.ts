// A stinger whose pictures encode how much of them should be visible: VP9 with transparency, and a tone.
import { madeSample } from './media-samples.ts';

export const stingerClip = {
  durationSeconds: 1.8,
  /** Luma of its opaque parts. */
  luma: 120,
  hertz: 330,
  amplitude: 0.06,
  videoCodec: 'vp9',
} as const;

/** The visible share of its picture at a frame of 30 a second: first 0, then 1, then one half. */
export function shareOfStinger(frame: number): number {
  if (frame < 15 || frame >= 54) return 0;
  return frame < 39 ? 1 : 0.5;
}

/** @returns the path of the clip */
export function makeStingerClip(): Promise<string> {
  const { durationSeconds, luma, hertz, amplitude } = stingerClip;
  const drawn = `geq=lum=${luma}:cb=128:cr=128:a='if(lt(T,0.5),0,if(lt(T,1.3),255,128))'`;
  const pictures = `color=gray:s=320x180:r=30:d=${durationSeconds},format=yuva420p,${drawn}`;
  const wave = `${amplitude}*sin(2*PI*${hertz}*t)`;
  const tone = `aevalsrc=${wave}|${wave}:s=48000:d=${durationSeconds}`;
  const vp9 = '-c:v libvpx-vp9 -pix_fmt yuva420p -crf 4 -b:v 0 -auto-alt-ref 0 -colorspace bt709 -color_range tv';
  const recipe = ['-f', 'lavfi', '-i', pictures, '-f', 'lavfi', '-i', tone, ...vp9.split(' '), '-c:a', 'pcm_s16le'];
  return madeSample(`stinger-${hertz}-${durationSeconds}.mkv`, recipe);
}
