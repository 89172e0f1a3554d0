// Distances between items that are alike, over blocks, publishes and runs.
import type { PlannableItem } from './plannable.ts';
import type { RowKind } from '../playout/planned-facts.ts';
import type { SeparationRule } from './programme-rules.ts';

/** An item that has played, or is planned. Times are Unix times in ms. */
export interface HeardItem {
  /** Rules compare items and queued items alone. */
  readonly kind: RowKind;
  readonly item: PlannableItem;
  readonly endMs: number;
  /** Present: it continues after a break, and is no other playing of its item. */
  readonly isContinued?: true;
}

/** The items so far, by what rules compare: as much as there are values and uploads, however many items were heard. */
export class Heard {
  /** The places of the rules in the order in which they are given up. */
  readonly givenUpFirst: readonly number[];
  readonly #rules: readonly SeparationRule[];
  /** For each rule, the last item of each value. */
  #last: readonly Map<string, { readonly endMs: number; readonly number: number }>[];
  #endMs = new Map<string, number>();
  #number = 0;

  /** @param before oldest first */
  constructor(rules: readonly SeparationRule[], before: Iterable<HeardItem> = []) {
    this.#rules = rules;
    this.givenUpFirst = givenUpFirst(rules);
    this.#last = rules.map(() => new Map());
    for (const heard of before) this.add(heard);
  }

  /** The same items. Additions to one of both leave the other unchanged. */
  copy(): Heard {
    const copy = new Heard(this.#rules);
    copy.#last = this.#last.map((byValue) => new Map(byValue));
    copy.#endMs = new Map(this.#endMs);
    copy.#number = this.#number;
    return copy;
  }

  add({ kind, item, endMs, isContinued }: HeardItem): void {
    this.#endMs.set(item.uploadID, endMs);
    if (kind !== 'item' && kind !== 'queued') return;
    if (!isContinued) this.#number++;
    for (const [index, rule] of this.#rules.entries())
      for (const value of valuesOf(rule, item)) this.#last[index]!.set(value, { endMs, number: this.#number });
  }

  /** Unix time in ms at which an upload was last heard; -Infinity: never. */
  lastHeardMs(uploadID: string): number {
    return this.#endMs.get(uploadID) ?? -Infinity;
  }

  /** The rules, by their places, that an item would break if it began at a time. */
  brokenBy(item: PlannableItem, startMs: number): number[] {
    return this.#rules.flatMap((rule, index) => {
      const isTooNear = valuesOf(rule, item).some((value) => {
        const last = this.#last[index]!.get(value);
        if (!last) return false;
        return this.#number - last.number < rule.items || startMs - last.endMs < rule.minutes * 60_000;
      });
      return isTooNear ? [index] : [];
    });
  }
}

function givenUpFirst(rules: readonly SeparationRule[]): number[] {
  const places = [...rules.keys()].toReversed();
  const isShould = (place: number) => rules[place]!.strength === 'should';
  return [...places.filter(isShould), ...places.filter((place) => !isShould(place))];
}

/** The values that a rule compares. Items without a value are not alike. */
export function valuesOf({ by, tagPrefix }: SeparationRule, { uploadID, name, titles, tags }: PlannableItem): string[] {
  switch (by) {
    case 'upload':
      return [uploadID];
    case 'tag':
      return tags.filter((tag) => tagPrefix === null || tag.startsWith(tagPrefix));
    default: {
      const value = titles[by] ?? (by === 'title' ? name : '');
      return value === '' ? [] : [value.trim().toLowerCase()];
    }
  }
}
