// The words of a plan for people.
import type { ProgrammeComparison } from '../../../lambda/web/app/types.ts';
import { mebibytes } from '../terminal.ts';
import type { Change, FieldChange, Plan } from './change.ts';

const marks = { create: '+', update: '~', delete: '-' } as const;
const longest = 70;
const mostDifferences = 5;

/** @param nameOf the name of an id, or a text that is none as it is */
export function planLines({ changes, costs, uploadBytes }: Plan, nameOf: (id: string) => string): string[] {
  if (changes.length === 0) return ['Nothing changes: the platform is as the file says.'];
  const interrupting = changes.filter(({ interrupts }) => interrupts);
  const streams = new Set(interrupting.map(({ name }) => name.replace(/\/(?:video|audio)$/, '')));
  const interrupted = `Interrupted: ${[...streams].join(', ')}. Apply it with --restart.`;
  const withNames = JSON.parse(JSON.stringify(changes), (_field, value: unknown) =>
    typeof value === 'string' ? nameOf(value) : value,
  ) as readonly Change[];
  return [
    ...withNames.flatMap(changeLines),
    '',
    ...(uploadBytes > 0 ? [`Uploads: ${mebibytes(uploadBytes)}.`] : []),
    ...costs.map(({ stream, fromPerHour, toPerHour }) => {
      const before = fromPerHour === null ? '' : `, instead of ${fromPerHour}`;
      return `${stream} will cost ${toPerHour} credits an hour on air${before}.`;
    }),
    streams.size === 0 ? 'No stream is interrupted.' : interrupted,
  ];
}

function changeLines({ action, kind, name, fields, viewers }: Change): string[] {
  return [
    `${marks[action]} ${kind} ${name}`,
    ...fields.map((field) => `    ${fieldLine(field)}`),
    ...(viewers === '' ? [] : [`    Viewers: ${viewers}`]),
  ];
}

function fieldLine({ field, from, to }: FieldChange): string {
  if (Array.isArray(from) && Array.isArray(to)) return `${field}: ${listWords(from.map(shown), to.map(shown))}`;
  return `${field}: ${from === null ? '' : `${shown(from)} → `}${shown(to)}`;
}

function listWords(before: readonly string[], after: readonly string[]): string {
  const gone = before.filter((each) => !after.includes(each)).map((each) => `- ${each}`);
  const added = after.filter((each) => !before.includes(each)).map((each) => `+ ${each}`);
  return [...gone, ...added].join(', ') || 'in another order';
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value, (name, each: unknown) => (each === null && name !== '' ? undefined : each));
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** The rows of a programme that a publish changes. */
export function comparisonLines({ sameRows, movedRows, differences, hasMore }: ProgrammeComparison): string[] {
  const words = (rows: ProgrammeComparison['differences'][number]['before']) =>
    rows.map(({ startAt, name }) => `${startAt.slice(11, 16)} ${name}`).join(', ') || 'nothing';
  const count = `${differences.length}${hasMore ? ' or more' : ''}`;
  const shownRows = differences.slice(0, mostDifferences);
  return [
    `The programme: ${sameRows} rows stay, ${movedRows} move, ${count} differ.`,
    ...shownRows.map(({ before, after }) => `  ${words(before)} → ${words(after)}`),
  ];
}
