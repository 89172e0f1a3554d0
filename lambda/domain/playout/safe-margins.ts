// The margins at the edges of pictures in which nothing is drawn, because it could be covered.
import type { Aspect } from './look.ts';

/**
 * Percent of the width or height of a picture. Landscape pictures: 5 % (EBU R 95, for television). Upright pictures:
 * the area that buttons and captions of TikTok, Shorts and Reels cover.
 */
export const safeMargins: Readonly<Record<Aspect, Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>>> = {
  '16:9': { left: 5, right: 5, top: 5, bottom: 5 },
  '9:16': { left: 6, right: 14, top: 12, bottom: 22 },
  '1:1': { left: 5, right: 5, top: 5, bottom: 5 },
};
