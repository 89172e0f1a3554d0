// The days of a week and the times of a day, as clocks on walls show them.

/** By RFC 5545. Monday is the first one. */
export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof weekdays)[number];

export const dayMinutes = 24 * 60;

/** Minutes since midnight. @param time as HH:mm */
export function minutesOf(time: string): number {
  return 60 * Number(time.slice(0, 2)) + Number(time.slice(3));
}
