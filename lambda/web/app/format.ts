// Numbers, times and durations in the language of the page.
import { locale } from './locale.ts';

const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const amounts = new Intl.NumberFormat(locale, { maximumFractionDigits: 8 });
const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
const fractions = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const percents = new Intl.NumberFormat(locale, { style: 'percent' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' });
const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const times = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

export const formatNumber = (value: number) => numbers.format(value);
/** An amount with up to eight decimals, the most that a currency has. */
export const formatAmount = (value: number) => amounts.format(value);
/** A sum of money, to the cent. */
export const formatSum = (value: number) => dollars.format(value);
/** A price in dollars. Prices below one dollar have more digits. */
export const formatDollars = (value: number) => (Math.abs(value) < 1 ? fractions : dollars).format(value);
export const formatWhole = (value: number) => whole.format(value);
export const formatShare = (share: number) => percents.format(share);
export const formatMoment = (at: string | number) => moments.format(new Date(at));
export const formatTime = (at: string | number) => times.format(new Date(at));

/** Such as `4.2 Mbit/s`. */
export function formatBitrate(kbps: number): string {
  return kbps >= 1000 ? `${numbers.format(kbps / 1000)} Mbit/s` : `${whole.format(kbps)} kbit/s`;
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
/** Formats by the index of their unit, made when first used: rows of long lists would take longest to make theirs. */
const formatsOfBytes: Intl.NumberFormat[] = [];

/** Such as `1.5 GB`, of 1,000 bytes each. */
export function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const format = (formatsOfBytes[power] ??= new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[power]!,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }));
  return format.format(bytes / 1000 ** power);
}

/** Such as `3:07`, `1:02:03` and `2 d 4:00:00`. */
export function formatDuration(seconds: number): string {
  const all = Math.max(0, Math.floor(seconds));
  const [days, hours, minutes] = [Math.floor(all / 86_400), Math.floor(all / 3600) % 24, Math.floor(all / 60) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  if (all < 3600) return `${minutes}:${two(all % 60)}`;
  return `${days > 0 ? `${days} d ` : ''}${hours}:${two(minutes)}:${two(all % 60)}`;
}

/** Such as `3 minutes ago` and `in 2 hours`. */
export function formatAge(at: string, nowMs: number): string {
  const seconds = (Date.parse(at) - nowMs) / 1000;
  const size = Math.abs(seconds);
  if (size < 1.5) return relative.format(0, 'second');
  if (size < 90) return relative.format(Math.round(seconds), 'second');
  if (size < 5400) return relative.format(Math.round(seconds / 60), 'minute');
  if (size < 129_600) return relative.format(Math.round(seconds / 3600), 'hour');
  return relative.format(Math.round(seconds / 86_400), 'day');
}
