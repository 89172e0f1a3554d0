// The price of a live stream, by the current price table and the defaults of the user.
import { priceOf } from '../../domain/billing/credits.ts';
import type { Framerate, Quality } from '../../domain/shared/video-format.ts';
import { serviceNow } from '../app/api.ts';
import { formatNumber } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';

interface Me {
  readonly defaults: { readonly quality: Quality; readonly framerate: Framerate };
}

/** The format of streams that name none; null while unknown. */
export function useDefaults(): Me['defaults'] | null {
  return useLive<Me>('/me').data?.defaults ?? null;
}

/**
 * Credits per hour for an output, without its backup; a dash while unknown.
 * @param isFurther whether another output of the stream is paid in full
 */
export function usePrice(quality: Quality | null, framerate: Framerate | null, isFurther = false): string {
  const defaults = useDefaults();
  if (!defaults) return '–';
  const format = { quality: quality ?? defaults.quality, framerate: framerate ?? defaults.framerate };
  return formatNumber(priceOf({ role: 'primary', isFurther, ...format }, new Date(serviceNow())).creditsPerHour);
}
