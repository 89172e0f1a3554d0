// The course of an incident: when something that is wrong counts as wrong, and when it is well again.

/** What can be wrong. Clients see these words, and channels are told of those that they name. */
export const incidentKinds = [
  'stream_away',
  'output_refused',
  'publish_failed',
  'media_unplayable',
  'source_unreachable',
  'credits_low',
] as const;
export type IncidentKind = (typeof incidentKinds)[number];

/** `over`: it is neither wrong nor well any more, as where a stream that was away is stopped by its user. */
export type Condition = 'wrong' | 'well' | 'over';

export interface Course {
  readonly condition: Condition;
  /** Since when it has been in this condition. */
  readonly since: Date;
  readonly beganAt: Date;
  /** Null while it may still pass, and nobody is told. */
  readonly confirmedAt: Date | null;
  readonly endedAt: Date | null;
  /** How often it was wrong, with less in between than it takes to have ended. */
  readonly count: number;
}

/** An incident of which nobody is told sooner counts as wrong after so long. */
export const confirmedAfterSeconds = 30;
/** What was wrong so often within one incident is confirmed, however short each time was. */
export const flapsToConfirm = 3;
const firstCalmSeconds = 30;
const mostCalmSeconds = 600;

/** How long it has to be well to have ended: twice as long with each time that it came back, up to ten minutes. */
export function calmSeconds(count: number): number {
  return Math.min(mostCalmSeconds, firstCalmSeconds * 2 ** (Math.min(count, 10) - 1));
}

/** @returns null where nothing was wrong, nor is */
export function afterSignal(course: Course | null, condition: Condition, at: Date): Course | null {
  if (course === null || course.endedAt !== null) {
    if (condition !== 'wrong') return null;
    return { condition, since: at, beganAt: at, confirmedAt: null, endedAt: null, count: 1 };
  }
  if (condition === course.condition) return course;
  // What is over and well again later has been over first.
  if (condition === 'well' && course.condition === 'over') return course;
  return { ...course, condition, since: at, count: course.count + (condition === 'wrong' ? 1 : 0) };
}

/** What time makes of a course. */
export interface Outlook {
  /** Null: it passed before anybody was told, so that nothing is left of it. */
  readonly course: Course | null;
  /** When to look again; null: at the next signal. */
  readonly dueAt: Date | null;
}

/** @param confirmSeconds after how long it is confirmed: as soon as the first channel wants to hear of it */
export function afterTime(course: Course, now: Date, confirmSeconds: number): Outlook {
  if (course.endedAt !== null) return { course, dueAt: null };
  if (course.condition === 'wrong') {
    if (course.confirmedAt !== null) return { course, dueAt: null };
    const dueAt = later(course.since, confirmSeconds);
    if (course.count < flapsToConfirm && now < dueAt) return { course, dueAt };
    return { course: { ...course, confirmedAt: now }, dueAt: null };
  }
  const dueAt = course.condition === 'over' ? course.since : later(course.since, calmSeconds(course.count));
  if (now < dueAt) return { course, dueAt };
  return { course: course.confirmedAt === null ? null : { ...course, endedAt: course.since }, dueAt: null };
}

/** How long an incident lasted that has ended, in seconds: what flaps has lasted long enough for everybody. */
export function lastedSeconds({ beganAt, endedAt, count }: Course): number {
  return count >= flapsToConfirm ? Infinity : (endedAt!.getTime() - beganAt.getTime()) / 1000;
}

/** When somebody is told of it who wants to hear only of what lasts so long. */
export function tellAt({ since, count, confirmedAt }: Course, afterSeconds: number): Date {
  const at = count >= flapsToConfirm ? since : later(since, afterSeconds);
  return confirmedAt !== null && at < confirmedAt ? confirmedAt : at;
}

function later(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}
