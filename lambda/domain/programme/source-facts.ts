// The facts of a source that warnings follow from, found once: many rules may draw from one source.
import type { CalendarPart, NextTurn } from './block-times.ts';
import type { ZoneOffsets } from './breaks.ts';
import type { PlannableItem } from './plannable.ts';
import type { SourceOpenings } from './source-openings.ts';
import type { UploadTimes } from './upload-times.ts';

export interface SourceFacts {
  readonly isEmpty: boolean;
  /** Seconds of the longest member; 0: there is none. */
  readonly longestSeconds: number;
  /** Unix time in ms at which the last member ends to be valid; Infinity: one never does; -Infinity: there is none. */
  readonly endsAtMs: number;
  /** Whether a member may begin within a part of the calendar that was looked at. */
  readonly mayBegin: (part: CalendarPart) => boolean;
}

const minuteMs = 60_000;
/** Minutes that are looked at in one turn. */
const minutesOfTurn = 720;

/** @param part the part of the calendar to look at */
export async function sourceFactsOf(
  members: readonly PlannableItem[],
  uploadTimes: UploadTimes,
  part: CalendarPart,
  zone: ZoneOffsets,
  nextTurn: NextTurn,
): Promise<SourceFacts> {
  const times = members.map((item) => uploadTimes.of(item));
  const most = (values: readonly number[], least: number) => values.reduce((one, other) => Math.max(one, other), least);
  const isAlwaysOpen = times.includes(null);
  const found = {
    isEmpty: members.length === 0,
    longestSeconds: most(
      members.map(({ durationSeconds }) => durationSeconds),
      0,
    ),
    endsAtMs: most(
      times.map((each) => each?.untilMs ?? Infinity),
      -Infinity,
    ),
  };
  if (isAlwaysOpen || members.length === 0) return { ...found, mayBegin: () => isAlwaysOpen };
  const firstMs = Math.floor(part.fromMs / minuteMs) * minuteMs;
  const open = await openMinutes(uploadTimes.openingsOf(members), { ...part, firstMs }, zone, nextTurn);
  const minuteOf = (ms: number) => Math.min(open.length - 1, Math.max(0, Math.ceil((ms - firstMs) / minuteMs)));
  return {
    ...found,
    mayBegin: ({ fromMs, untilMs }) =>
      untilMs > fromMs && open[minuteOf(untilMs)]! > open[minuteOf(Math.floor(fromMs / minuteMs) * minuteMs)]!,
  };
}

/** For each minute, the open minutes before it. Other work of the process runs meanwhile. */
async function openMinutes(
  openings: SourceOpenings,
  { fromMs, untilMs, firstMs }: CalendarPart & { readonly firstMs: number },
  zone: ZoneOffsets,
  nextTurn: NextTurn,
): Promise<Int32Array> {
  const before = new Int32Array(Math.ceil((untilMs - firstMs) / minuteMs) + 1);
  for (let minute = 0; minute < before.length - 1; minute++) {
    if (minute % minutesOfTurn === 0) await nextTurn();
    const atMs = Math.max(fromMs, firstMs + minute * minuteMs);
    const throughMs = Math.min(untilMs, firstMs + (minute + 1) * minuteMs) - 1;
    const isOpen = openings.isOpenWithin(atMs, throughMs, zone.offsetMsAt(atMs));
    before[minute + 1] = before[minute]! + (isOpen ? 1 : 0);
  }
  return before;
}
