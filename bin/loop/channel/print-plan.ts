// The words of a plan for people.
import type { Change, FieldChange, Plan } from './change.ts';
import { mebibytes } from '../terminal.ts';

/** The part of compare_programme that is shown. */
export interface Comparison {
  readonly sameRows: number;
  readonly movedRows: number;
  readonly differences: readonly { readonly before: readonly Row[]; readonly after: readonly Row[] }[];
  readonly hasMore: boolean;
}

interface Row {
  readonly startAt: string;
  readonly name: string;
}

const marks = { create: '+', update: '~', delete: '-' } as const;
const longest = 70;
const mostDifferences = 5;

export function planLines({ changes, costs, uploadBytes }: Plan, nameOf: (id: string) => string): string[] {
  if (changes.length === 0) return ['Nothing changes: the platform is as the file says.'];
  const interrupting = changes.filter(({ interrupts }) => interrupts);
  const streams = new Set(interrupting.map(({ name }) => name.replace(/\/(?:video|audio)$/, '')));
  return [
    ...changes.flatMap((change) => changeLines(change, nameOf)),
    '',
    ...(uploadBytes > 0 ? [`Uploads: ${mebibytes(uploadBytes)}.`] : []),
    ...costs.map(({ stream, fromPerHour, toPerHour }) =>
      fromPerHour === null
        ? `${stream} will cost ${toPerHour} credits an hour on air.`
        : `${stream} will cost ${toPerHour} credits an hour on air, instead of ${fromPerHour}.`,
    ),
    streams.size === 0
      ? 'No stream is interrupted.'
      : `Interrupted: ${[...streams].join(', ')}. Apply it with --restart.`,
  ];
}

function changeLines({ action, kind, name, fields, viewers }: Change, nameOf: (id: string) => string): string[] {
  return [
    `${marks[action]} ${kind} ${name}`,
    ...fields.map((field) => `    ${fieldLine(field, nameOf)}`),
    ...(viewers === '' ? [] : [`    Viewers: ${viewers}`]),
  ];
}

function fieldLine({ field, from, to }: FieldChange, nameOf: (id: string) => string): string {
  if (Array.isArray(from) && Array.isArray(to)) return `${field}: ${listWords(from, to, nameOf)}`;
  const before = from === null ? '' : `${shown(from, nameOf)} → `;
  return `${field}: ${before}${shown(to, nameOf)}`;
}

function listWords(from: readonly unknown[], to: readonly unknown[], nameOf: (id: string) => string): string {
  const texts = (list: readonly unknown[]) => list.map((each) => shown(each, nameOf));
  const [before, after] = [texts(from), texts(to)];
  const added = after.filter((each) => !before.includes(each)).map((each) => `+ ${each}`);
  const gone = before.filter((each) => !after.includes(each)).map((each) => `- ${each}`);
  const changes = [...gone, ...added];
  return changes.length === 0 ? 'in another order' : changes.join(', ');
}

function shown(value: unknown, nameOf: (id: string) => string): string {
  if (typeof value === 'string') return nameOf(value);
  const text = JSON.stringify(value, (name, each: unknown) =>
    each === null && name !== '' ? undefined : typeof each === 'string' ? nameOf(each) : each,
  );
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** The rows of a programme that a publish changes. */
export function comparisonLines({ sameRows, movedRows, differences, hasMore }: Comparison): string[] {
  const rows = (list: readonly Row[]) => list.map(({ startAt, name }) => `${startAt.slice(11, 16)} ${name}`).join(', ');
  const count = `${differences.length}${hasMore ? ' or more' : ''}`;
  return [
    `The programme: ${sameRows} rows stay, ${movedRows} move, ${count} differ.`,
    ...differences
      .slice(0, mostDifferences)
      .map(({ before, after }) => `  ${rows(before) || 'nothing'} → ${rows(after) || 'nothing'}`),
  ];
}
