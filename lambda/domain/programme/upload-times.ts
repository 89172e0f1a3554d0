// The times at which uploads of a programme may begin, each parsed once, however many sources have them.
import { OpenTimes } from '../media/availability.ts';
import type { PlannableItem } from './plannable.ts';
import { SourceOpenings } from './source-openings.ts';

export class UploadTimes {
  readonly #known = new Map<string, OpenTimes>();

  /** @returns null: the item may begin at any time */
  of({ uploadID, availability }: Pick<PlannableItem, 'uploadID' | 'availability'>): OpenTimes | null {
    if (availability === undefined) return null;
    const known = this.#known.get(uploadID);
    if (known) return known;
    const times = new OpenTimes(availability);
    this.#known.set(uploadID, times);
    return times;
  }

  openingsOf(items: readonly PlannableItem[]): SourceOpenings {
    return new SourceOpenings(items.map((item) => this.of(item)));
  }
}
