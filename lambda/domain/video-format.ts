// The qualities and framerates a stream can have.

export const qualities = ['q_720p', 'q_1080p', 'q_1440p', 'q_2160p'] as const;
export type Quality = (typeof qualities)[number];

export const framerates = ['f_24', 'f_25', 'f_30', 'f_60'] as const;
export type Framerate = (typeof framerates)[number];

export const framesPerSecond: Record<Framerate, number> = { f_24: 24, f_25: 25, f_30: 30, f_60: 60 };

/**
 * How much of an agent a replica takes, in slots. One slot is a 720p30 stream; the steps follow the pixels per second.
 * The manifest backend copies prepared bytes, whatever their size, so there every stream takes one.
 */
export function slotsOf(backend: 'ffmpeg' | 'manifest', quality: Quality, framerate: Framerate): number {
  if (backend === 'manifest') return 1;
  const slotsAt30: Record<Quality, number> = { q_720p: 1, q_1080p: 2, q_1440p: 4, q_2160p: 8 };
  return slotsAt30[quality] * (framerate === 'f_60' ? 2 : 1);
}
