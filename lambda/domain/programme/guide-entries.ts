// The entries of a guide: items without the inserts and filler between them, or whole blocks. Decision D252.
import type { ItemOccurrence } from '../playout/play-out.ts';
import { ZoneOffsets } from './breaks.ts';
import type { Block, ProgrammeRules } from './programme-rules.ts';

/** A row of a timeline, as guides see it. */
export interface GuideRow {
  readonly startAt: Date;
  readonly endAt: Date;
  /** The beginning of the item: before `startAt` if the row continues it after a break. */
  readonly itemStartAt: Date;
  readonly occurrence: Pick<ItemOccurrence, 'planned'>;
}

export interface GuideEntry<Row> {
  readonly startAt: Date;
  readonly endAt: Date;
  /** The first row of it. */
  readonly row: Row;
  /** The block that is one entry; null: the entry is an item. */
  readonly block: Block | null;
}

const dayMs = 86_400_000;
/** The longest break whose item is looked for. */
const mostBreakMs = 1_800_000;

/** An entry while it grows. Rows with the same key that follow each other are one. */
interface OpenEntry<Row> extends GuideEntry<Row> {
  endAt: Date;
  readonly key: string;
}

/** The blocks of a programme as a guide shows them. */
export class GuideBlocks {
  readonly #blocks: ReadonlyMap<string, Block>;
  readonly #zone: ZoneOffsets;

  /** @param rules null: no programme plans the rows */
  constructor(rules: Pick<ProgrammeRules, 'blocks' | 'timeZone'> | null) {
    this.#blocks = new Map(rules?.blocks.map((block) => [block.id, block]));
    this.#zone = new ZoneOffsets(rules?.timeZone ?? 'UTC');
  }

  /** The entries of rows, which are in order. Rows before the first entry that belong to no entry are left out. */
  entriesOf<Row extends GuideRow>(rows: readonly Row[]): GuideEntry<Row>[] {
    const entries: OpenEntry<Row>[] = [];
    for (const row of rows) {
      const block = this.#blockOf(row);
      if (block?.guide === 'hidden' || row.occurrence.planned?.kind === 'off_air') continue;
      const last = entries.at(-1);
      const key = block?.guide === 'block' ? this.#partOf(block, row).key : keyOfItem(row);
      const isNext = last !== undefined && last.endAt.getTime() === row.startAt.getTime();
      if (isNext && (last.key === key || (key === null && last.block === null && isSameBlock(last.row, row))))
        last.endAt = row.endAt;
      else if (key !== null) entries.push(begun(row, block, key));
    }
    return entries;
  }

  /** The time of the first rows to read for the beginning of a row's entry; null: the row itself is enough. */
  lookBackOf(row: GuideRow): Date | null {
    const block = this.#blockOf(row);
    if (block?.guide === 'block') return this.#partOf(block, row).from;
    const isBetween = block?.guide !== 'hidden' && keyOfItem(row) === null;
    return isBetween ? new Date(row.startAt.getTime() - mostBreakMs) : null;
  }

  /** The end of a block's entry by its hours; null: it has none, or the entry is an item. */
  endByHours({ block, row }: GuideEntry<GuideRow>): Date | null {
    return block?.hours ? this.#partOf(block, row).until : null;
  }

  #blockOf({ occurrence: { planned } }: GuideRow): Block | undefined {
    return planned?.blockID === undefined ? undefined : this.#blocks.get(planned.blockID ?? '');
  }

  /** The part of a block's time that is one entry. One without an end of its own within a day ends at midnight. */
  #partOf(block: Block, { startAt, occurrence: { planned } }: GuideRow) {
    const { occurrenceMs = 0 } = planned ?? {};
    const lengthMs = block.hours ? block.hours.minutes * 60_000 : Infinity;
    const [beginMs, endMs] = [occurrenceMs, occurrenceMs + lengthMs];
    if (lengthMs <= dayMs) return { key: `${block.id} ${beginMs}`, from: new Date(beginMs), until: new Date(endMs) };
    const midnightMs = this.#zone.midnightMsBefore(startAt.getTime());
    const from = new Date(Math.max(beginMs, midnightMs));
    return { key: `${block.id} ${from.getTime()}`, from, until: new Date(Math.min(endMs, midnightMs + dayMs)) };
  }
}

function begun<Row extends GuideRow>(row: Row, block: Block | undefined, key: string): OpenEntry<Row> {
  const isBlock = block?.guide === 'block';
  return {
    startAt: isBlock ? row.startAt : row.itemStartAt,
    endAt: row.endAt,
    row,
    key,
    block: isBlock ? block : null,
  };
}

/** A name of an item that its parts have in common; null: an insert or filler, which is part of the item before it. */
function keyOfItem({ itemStartAt, occurrence: { planned } }: GuideRow): string | null {
  return planned?.kind === 'insert' || planned?.kind === 'filler' ? null : `item ${itemStartAt.getTime()}`;
}

function isSameBlock(one: GuideRow, other: GuideRow): boolean {
  const [own, others] = [one.occurrence.planned, other.occurrence.planned];
  return own?.blockID === others?.blockID && own?.occurrenceMs === others?.occurrenceMs;
}
