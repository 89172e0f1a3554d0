// Converts times of a time zone with the browser's data, also on days of clock changes.

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', second: '2-digit', ...fields });
  formats.set(zone, made);
  return made;
}

/** The clock time of the zone, encoded as if it were UTC, in milliseconds. */
function shownIn(zone: string, atMs: number): number {
  const part = Object.fromEntries(
    formatIn(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'], part['second']);
}

/** Whether the value of a field is a complete time. */
export function isTime(local: string): boolean {
  return Number.isFinite(Date.parse(`${local}Z`));
}

/**
 * The instant of a clock time in a zone. A time that clocks show twice is the first one. A time that clocks skip is
 * later by the length of the gap.
 * @param local such as `2030-03-31T20:00`
 */
export function instantIn(zone: string, local: string): Date {
  const wished = Date.parse(`${local}Z`);
  const offsets = [wished - 86_400_000, wished + 86_400_000].map((atMs) => shownIn(zone, atMs) - atMs);
  const candidates = offsets.map((offset) => wished - offset).toSorted((one, other) => one - other);
  return new Date(candidates.find((atMs) => shownIn(zone, atMs) === wished) ?? candidates.at(-1)!);
}

/** The clock time of a zone at an instant, in the format of a time field. */
export function localIn(zone: string, atMs: number): string {
  return new Date(shownIn(zone, Math.floor(atMs / 60_000) * 60_000)).toISOString().slice(0, 16);
}

/** A day of the browser's zone, from its midnight to the next one. */
export interface Day {
  readonly from: Date;
  readonly to: Date;
}

/** The seven days of the week that contains a day, from Monday. */
export function weekOf(day: Date): Day[] {
  const monday = day.getDate() - ((day.getDay() + 6) % 7);
  const midnight = (offset: number) => new Date(day.getFullYear(), day.getMonth(), monday + offset);
  return Array.from({ length: 7 }, (_, index) => ({ from: midnight(index), to: midnight(index + 1) }));
}

/** Hours that clocks move forward on a day; negative if they move back. */
export function hoursSkipped({ from, to }: Day): number {
  return 24 - (to.getTime() - from.getTime()) / 3_600_000;
}
