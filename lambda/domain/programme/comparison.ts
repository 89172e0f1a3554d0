// The comparison of two plans of a programme: rows that change, and the rules that they change by.
import type { PlannedRow } from './planned-row.ts';
import type { ProgrammeRules } from './programme-rules.ts';

/** Rows that one plan has in place of those of another. One of both lists may be empty. */
export interface PlanDifference {
  readonly before: readonly PlannedRow[];
  readonly after: readonly PlannedRow[];
}

export interface PlanComparison {
  /** Rows at the same time in both plans. */
  readonly sameRows: number;
  /** Rows that both plans have in the same order, at another time. */
  readonly movedRows: number;
  readonly differences: readonly PlanDifference[];
}

/** Rows of each plan that are compared with those of the other one to find where both continue alike. */
const mostAhead = 100;

/**
 * @param before it lasts longer than `untilFrame`, as the other one does: rows that move would have no counterpart
 * @param untilFrame rows from here on are left out
 */
export function comparePlans(
  before: readonly PlannedRow[],
  after: readonly PlannedRow[],
  untilFrame: number,
): PlanComparison {
  const differences: PlanDifference[] = [];
  let [sameRows, movedRows] = [0, 0];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [skipped, added] = distanceToLike(
      before.slice(left, left + mostAhead),
      after.slice(right, right + mostAhead),
    );
    if (skipped > 0 || added > 0) {
      differences.push({
        before: before.slice(left, left + skipped),
        after: after.slice(right, right + added),
      });
      left += skipped;
      right += added;
      continue;
    }
    const isMoved = before[left++]!.startFrame !== after[right]!.startFrame;
    if (after[right++]!.startFrame >= untilFrame) continue;
    if (isMoved) movedRows++;
    else sameRows++;
  }
  const isWithin = ({ startFrame }: PlannedRow) => startFrame < untilFrame;
  const clipped = differences.map((each) => ({
    before: each.before.filter(isWithin),
    after: each.after.filter(isWithin),
  }));
  const shown = clipped.filter((each) => each.before.length + each.after.length > 0);
  return { sameRows, movedRows, differences: joined(shown) };
}

/**
 * The fewest rows to pass over on both sides until both continue alike: 0 and 0 if they do, all if they never do. Two
 * rows have to be alike, as jingles repeat, unless a plan ends there.
 */
function distanceToLike(before: readonly PlannedRow[], after: readonly PlannedRow[]): readonly [number, number] {
  for (let sum = 0; sum < before.length + after.length; sum++)
    for (let skipped = Math.max(0, sum - after.length + 1); skipped <= Math.min(sum, before.length - 1); skipped++) {
      const added = sum - skipped;
      const continues = isAlike(before[skipped + 1], after[added + 1]);
      if (isAlike(before[skipped], after[added]) && (sum === 0 || continues)) return [skipped, added];
    }
  return [before.length, after.length];
}

function isAlike(one: PlannedRow | undefined, other: PlannedRow | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.item.uploadID === other.item.uploadID &&
    one.kind === other.kind &&
    one.blockID === other.blockID &&
    one.part?.fromSeconds === other.part?.fromSeconds &&
    one.part?.untilSeconds === other.part?.untilSeconds &&
    one.isCutOff === other.isCutOff
  );
}

/** Long differences are found in parts. */
function joined(differences: readonly PlanDifference[]): PlanDifference[] {
  const found: PlanDifference[] = [];
  for (const next of differences) {
    const last = found.at(-1);
    if (last && follows(last.before, next.before) && follows(last.after, next.after))
      found[found.length - 1] = {
        before: [...last.before, ...next.before],
        after: [...last.after, ...next.after],
      };
    else found.push(next);
  }
  return found;
}

function follows(rows: readonly PlannedRow[], next: readonly PlannedRow[]): boolean {
  const [last, first] = [rows.at(-1), next[0]];
  return !last || !first || last.startFrame + last.frameCount === first.startFrame;
}

/** The rules that differ, as paths: blocks/ID, inserts/ID, blocks or inserts for their order, or another rule. */
export function changedRules(before: ProgrammeRules | null, after: ProgrammeRules): string[] {
  const others = ['timeZone', 'separation', 'filler', 'insertSecondsPerHour'] as const;
  return [
    ...changedIn('blocks', before?.blocks ?? [], after.blocks),
    ...changedIn('inserts', before?.inserts ?? [], after.inserts),
    ...others.filter((name) => before !== null && !isEqual(before[name], after[name])),
  ];
}

/** @param one with its fields in the same order as those of the other, as both are stored as jsonb */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

interface NamedRule {
  readonly id: string;
}

function changedIn(name: string, before: readonly NamedRule[], after: readonly NamedRule[]): string[] {
  const ids = new Set([...before, ...after].map(({ id }) => id));
  const known = (rules: readonly NamedRule[], wanted: string) => rules.find(({ id }) => id === wanted);
  const changed = [...ids].filter((id) => !isEqual(known(before, id), known(after, id)));
  const orderOf = (rules: readonly NamedRule[], others: readonly NamedRule[]) =>
    rules.flatMap(({ id }) => (known(others, id) ? [id] : []));
  const isReordered = !isEqual(orderOf(before, after), orderOf(after, before));
  return [...(isReordered ? [name] : []), ...changed.map((id) => `${name}/${id}`)];
}

/**
 * The changed rules that the rows of a difference are of. Empty: it follows from rows before it, or from rules that
 * have no rows, such as separation.
 */
export function causesOf({ before, after }: PlanDifference, changed: readonly string[]): string[] {
  const own = new Set(
    [...before, ...after].flatMap(({ blockID, insertID, kind }) => [
      ...(blockID === null ? [] : ['blocks', `blocks/${blockID}`]),
      ...(insertID === undefined ? [] : ['inserts', `inserts/${insertID}`]),
      ...(kind === 'filler' ? ['filler'] : []),
    ]),
  );
  return changed.filter((path) => own.has(path));
}
