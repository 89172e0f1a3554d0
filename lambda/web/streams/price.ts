// The price of a live stream, by the current price table and the defaults of the user.
import { priceOf } from '../../domain/billing/credits.ts';
import type { Framerate, Quality } from '../../domain/shared/video-format.ts';
import { serviceNow } from '../app/api.ts';
import { formatNumber } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';

interface Me {
  readonly defaults: { readonly quality: Quality; readonly framerate: Framerate };
}

/** Credits per hour for the first output; a dash while unknown. */
export function usePrice(quality: Quality | null, framerate: Framerate | null): string {
  const defaults = useLive<Me>('/me').data?.defaults;
  if (!defaults) return '–';
  const format = { quality: quality ?? defaults.quality, framerate: framerate ?? defaults.framerate };
  return formatNumber(priceOf({ role: 'primary', ...format }, new Date(serviceNow())).creditsPerHour);
}
