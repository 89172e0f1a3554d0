// The words of the schedule. They load with their screens.
import { plural } from './plural.ts';

export const scheduleWords = {
  title: 'Schedule',
  zone: (zone: string) => `Times are in your time zone, ${zone}.`,
  before: 'Week before',
  after: 'Week after',
  thisWeek: 'This week',
  forward: 'Clocks go forward: this day has 23 hours.',
  back: 'Clocks go back: this day has 25 hours.',
  empty: 'Nothing planned.',
  open: 'until it is stopped',
  until: (end: string) => `until ${end}`,
  running: 'continued',
  skip: 'Skip this one',
  restore: 'Do not skip it',
  skipped: 'Skipped',
  cut: (until: string) => `The list is cut: it ends at ${until}.`,
  planned: 'Schedules',
  nonePlanned: 'No stream is scheduled.',
  next: (start: string) => `Next start: ${start}`,
  weekly: (days: string) => `Every week on ${days}`,
  byRule: (rule: string) => `By the rule ${rule}`,
  /** Hours in the zone of a schedule, and the start in that of the reader; null: it is the same. */
  hours: (start: string, end: string | null, zone: string, here: string | null) =>
    `${end === null ? `from ${start}` : `${start}–${end}`}, ${zone.replaceAll('_', ' ')}` +
    (here === null ? '' : ` (${here} here)`),
  drag: 'Drag a run to another time, or open it.',
  openStream: 'Open the stream',
  edit: 'Edit',
  editOf: (name: string) => `Edit the schedule of ${name}`,
  cancelIt: 'Cancel the schedule',
  cancelAsk: (name: string) => `Cancel the schedule of ${name}?`,
  cancelText: 'The stream does not start by itself any more. Its settings stay.',
  keep: 'Keep it',
  plan: 'Plan a stream',
  planOf: (name: string) => `Schedule of ${name}`,
  stream: 'Stream',
  noStreams: 'No stream is left to plan: each one is live or scheduled, or there is none yet.',
  start: 'Start',
  end: 'End (empty: until it is stopped)',
  inZone: 'Time zone',
  repeat: 'Repeat',
  repetitions: { never: 'Once', daily: 'Every day', weekly: 'Every week on …', other: 'By a rule (RFC 5545)' },
  days: 'Days (none: that of the start)',
  rule: 'Rule',
  ruleHint: 'Such as FREQ=MONTHLY;BYDAY=1FR',
  would: (count: number, zone: string | null) =>
    `It would start: (the first ${plural(count, 'time', 'times')}` +
    `${zone === null ? '' : `, in your time zone, ${zone}`})`,
  planIt: 'Plan it',
} as const;
