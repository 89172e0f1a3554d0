// Course of an incident: when a fault is confirmed, and when it has ended.
// Triggers only signal faults. A worker for each user decides, so that no start waits for a notice.

/** Kinds of incidents. Clients see these words; channels name the kinds that they want. */
export const incidentKinds = [
  'stream_away',
  'output_refused',
  'publish_failed',
  'programme_not_planned',
  'media_unplayable',
  'source_unreachable',
  'credits_low',
] as const;
export type IncidentKind = (typeof incidentKinds)[number];

/** `over`: neither wrong nor well any more, for example when a user stops a stream that was off the air. */
export type Condition = 'wrong' | 'well' | 'over';

export interface Course {
  readonly condition: Condition;
  /** When this condition began. */
  readonly since: Date;
  readonly beganAt: Date;
  /** Null while the fault may still pass; no channel is notified before. */
  readonly confirmedAt: Date | null;
  readonly endedAt: Date | null;
  /** Number of faults in this incident, each separated by less calm than ends it. */
  readonly count: number;
}

/** Seconds until an incident is confirmed, unless a channel wants it sooner. */
export const confirmedAfterSeconds = 30;
/** Number of faults within one incident that confirms it, however short each fault was. */
export const flapsToConfirm = 3;
const firstCalmSeconds = 30;
const mostCalmSeconds = 600;

/** Seconds of calm that end an incident: twice as many after each return, up to ten minutes. */
export function calmSeconds(count: number): number {
  return Math.min(mostCalmSeconds, firstCalmSeconds * 2 ** (Math.min(count, 10) - 1));
}

/** @returns null if nothing is or was wrong */
export function afterSignal(course: Course | null, condition: Condition, at: Date): Course | null {
  if (course === null || course.endedAt !== null) {
    if (condition !== 'wrong') return null;
    return { condition, since: at, beganAt: at, confirmedAt: null, endedAt: null, count: 1 };
  }
  if (condition === course.condition) return course;
  // The calm after the end of a stream's run is not the end of the incident.
  if (condition === 'well' && course.condition === 'over') return course;
  return { ...course, condition, since: at, count: course.count + (condition === 'wrong' ? 1 : 0) };
}

/** Effect of time on a course. */
export interface Outlook {
  /** Null if the fault passed before a channel was notified; the incident is then forgotten. */
  readonly course: Course | null;
  /** When to look again; null until the next signal. */
  readonly dueAt: Date | null;
}

/** @param confirmSeconds seconds until confirmation: the shortest delay of the user's channels */
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

/** Seconds that an ended incident lasted; infinite for one that flapped, which is long enough for every channel. */
export function lastedSeconds({ beganAt, endedAt, count }: Course): number {
  return count >= flapsToConfirm ? Infinity : (endedAt!.getTime() - beganAt.getTime()) / 1000;
}

/** When a channel is notified that wants only incidents of at least this length. */
export function notifyAt({ since, count, confirmedAt }: Course, afterSeconds: number): Date {
  const at = count >= flapsToConfirm ? since : later(since, afterSeconds);
  return confirmedAt !== null && at < confirmedAt ? confirmedAt : at;
}

function later(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}
