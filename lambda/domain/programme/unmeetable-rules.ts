// Distances that a block cannot keep while its items play equally often: it has too much of one artist, album or title.
import type { BlockTime, NextTurn } from './block-times.ts';
import type { PlannableCollection, PlannableItem } from './plannable.ts';
import type { Block, ItemSource, ProgrammeRules, SeparationKey, SeparationRule } from './programme-rules.ts';
import { valuesOf } from './separation.ts';

/** A value that plays too soon again, or less often than its share. */
export interface UnmeetableRule {
  readonly code: 'rule_unmeetable';
  readonly block: string;
  readonly by: SeparationKey;
  /** The value that there is too much of: a title, an artist, an album, a tag, or the name of an upload. */
  readonly value: string;
  /** The share of the block's items that have the value, and the largest one that the rule allows; from 0 to 1. */
  readonly share: number;
  readonly mostShare: number;
  readonly items: number;
  readonly minutes: number;
}

/** The part of a block's items that one step has, with its members. */
interface StepShare {
  readonly share: number;
  readonly members: readonly PlannableItem[];
}

const rounding = 1e-9;

/** The members of a source of items; undefined: it is unknown. */
type CollectionOf = (from: ItemSource) => PlannableCollection | undefined;

/** Members that are compared at most, each once for each rule. Rules beyond are not judged. */
const mostCompared = 2_000_000;

/**
 * For each rule and block, the value that there is most of beyond the share that the rule allows. Other work of the
 * process runs meanwhile.
 * @param blockTimes of some days, from `blockTimesOf`
 */
export async function unmeetableRules(
  rules: ProgrammeRules,
  blockTimes: readonly BlockTime[],
  collectionOf: CollectionOf,
  nextTurn: NextTurn,
): Promise<UnmeetableRule[]> {
  const secondsEach = longestTime(rules, collectionOf);
  const found: UnmeetableRule[] = [];
  let compared = 0;
  for (const block of rules.blocks) {
    const steps = stepShares(block, collectionOf);
    const times = blockTimes.filter(({ block: { id } }) => id === block.id);
    if (steps === null || times.length === 0 || block.isOffAir) continue;
    const isEndless = rules.blocks.length === 1 && block.hours === null;
    const seconds = times.reduce((sum, { fromMs, untilMs }) => sum + (untilMs - fromMs) / 1000, 0);
    const room = { secondsEach, meanSeconds: isEndless ? Infinity : seconds / times.length };
    for (const rule of rules.separation) {
      compared += steps.reduce((sum, { members }) => sum + members.length, 0);
      if (compared > mostCompared) return found;
      found.push(...(await worstOf(block, rule, steps, room, nextTurn)));
    }
  }
  return found;
}

/** The time of a block. */
interface BlockRoom {
  /** The most seconds on the air of one second of items, with its inserts; Infinity: these have no limit. */
  readonly secondsEach: number;
  /** The mean length of the times in which no other block plays; Infinity: no other one does. */
  readonly meanSeconds: number;
}

function longestTime({ inserts, insertSecondsPerHour }: ProgrammeRules, collectionOf: CollectionOf): number {
  if (inserts.length === 0) return 1;
  if (insertSecondsPerHour === null) return Infinity;
  const longestOf = (from: ItemSource) =>
    (collectionOf(from)?.members ?? []).reduce((most, { durationSeconds }) => Math.max(most, durationSeconds), 0);
  const breaks = inserts.map(({ from, perBreak, introUploadID, outroUploadID }) => {
    const framing = [introUploadID, outroUploadID].map((uploadID) => (uploadID === null ? 0 : longestOf({ uploadID })));
    return framing.reduce((sum, each) => sum + each, perBreak * longestOf(from));
  });
  // A break that has begun may go beyond the limit.
  const inserted = insertSecondsPerHour + Math.max(...breaks);
  return inserted < 3600 ? 3600 / (3600 - inserted) : Infinity;
}

/** The shares of steps; null: the shares of their members in the long run are unknown. */
function stepShares({ steps, isOrdered }: Block, collectionOf: CollectionOf): StepShare[] | null {
  const turns = steps.map(({ count, weight }) => (isOrdered ? count : count * weight));
  const all = turns.reduce((sum, each) => sum + each, 0);
  const found: StepShare[] = [];
  for (const [index, { from, cursor }] of steps.entries()) {
    const collection = collectionOf(from);
    // Laps of these play each member once. Members that come and go with their hours have no lap.
    const hasLaps = collection !== undefined && (collection.order === 'sequential' || collection.order === 'shuffle');
    if (!hasLaps || cursor === 'rerun' || collection.members.length === 0) return null;
    if (collection.members.some(({ availability }) => availability !== undefined)) return null;
    found.push({ share: turns[index]! / all, members: collection.members });
  }
  return found;
}

async function worstOf(
  { name }: Block,
  rule: SeparationRule,
  steps: readonly StepShare[],
  room: BlockRoom,
  nextTurn: NextTurn,
): Promise<UnmeetableRule[]> {
  const shares = new Map<string, { value: string; share: number; seconds: number }>();
  let meanSeconds = 0;
  for (const { share: stepShare, members } of steps) {
    await nextTurn();
    for (const item of members) {
      const share = stepShare / members.length;
      meanSeconds += share * item.durationSeconds;
      for (const key of valuesOf(rule, item)) {
        const known = shares.get(key) ?? { value: shownValue(rule, item, key), share: 0, seconds: 0 };
        shares.set(key, {
          ...known,
          share: known.share + share,
          seconds: known.seconds + share * item.durationSeconds,
        });
      }
    }
  }
  const { by, items, minutes } = rule;
  const secondsOfItem = meanSeconds * room.secondsEach;
  // Each time of the block may have one more, as other blocks play before it.
  const more = room.meanSeconds === Infinity ? 0 : secondsOfItem / room.meanSeconds;
  const found = [...shares.values()].map(({ value, share, seconds }) => {
    const ofItems = 1 / (items + 1);
    const ofMinutes = minutes === 0 ? 1 : secondsOfItem / (minutes * 60 + seconds / share);
    return { value, share, mostShare: Math.min(ofItems, ofMinutes) + more };
  });
  const over = found.filter(({ share, mostShare }) => share > mostShare * (1 + rounding));
  const worst = over.toSorted((one, other) => other.share / other.mostShare - one.share / one.mostShare)[0];
  return worst ? [{ code: 'rule_unmeetable', block: name, by, ...worst, items, minutes }] : [];
}

/** A value in the words of its user. */
function shownValue({ by }: SeparationRule, { name, titles }: PlannableItem, key: string): string {
  if (by === 'upload' || by === 'title') return titles.title ?? name;
  return by === 'tag' ? key : (titles[by] ?? key);
}
