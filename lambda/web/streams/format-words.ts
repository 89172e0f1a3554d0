// Qualities and framerates as users read them.
import type { Framerate, Quality } from '../../domain/shared/video-format.ts';

/** Such as `1080p`. */
export const qualityWords = (quality: Quality) => quality.slice('q_'.length);
/** Such as `30`. */
export const framerateWords = (framerate: Framerate) => framerate.slice('f_'.length);
