// The figures of a plan: shares, and rules that it cannot keep.
import type { Gap, Plan } from './plan-request.ts';
import { continuesItem } from './planned-row.ts';
import type { PlannedRow } from './planned-row.ts';
import type { RowKind } from '../playout/planned-facts.ts';
import type { ProgrammeRules } from './programme-rules.ts';
import { sourceKey } from './programme-rules.ts';

/** The part of a plan that one block, step or insert has. */
export interface Share {
  /** Playings: an item with breaks is one. */
  readonly rows: number;
  readonly frames: number;
}

/** The issue of a source: it has nothing that can be played, or is not read whole (decision D259). */
export type SourceIssue = 'collection_empty' | 'collection_cut';

/** A thing that the rules ask for, and the plan cannot keep. */
export interface PlanIssue {
  readonly code: 'programme_gap' | SourceIssue | 'rule_relaxed' | 'block_never_plays' | 'insert_never_plays';
  /** The path of the cause in the rules, such as blocks/1. */
  readonly path: string;
  /** Occasions. */
  readonly count: number;
  /** The frame of the first one; null: all the time. */
  readonly firstFrame: number | null;
}

/** Figures that grow with each part of a plan. */
export class Simulation {
  readonly #rules: ProgrammeRules;
  readonly #byKind: Record<RowKind, { rows: number; frames: number }> = {
    item: { rows: 0, frames: 0 },
    insert: { rows: 0, frames: 0 },
    filler: { rows: 0, frames: 0 },
    queued: { rows: 0, frames: 0 },
    off_air: { rows: 0, frames: 0 },
  };
  readonly #shares = new Map<string, { rows: number; frames: number }>();
  readonly #relaxed = new Map<number, { count: number; firstFrame: number }>();
  readonly #gaps: Gap[] = [];
  readonly #uploads = new Set<string>();
  #cutOff = 0;
  #rowCount = 0;

  constructor(rules: ProgrammeRules) {
    this.#rules = rules;
  }

  add({ rows, gaps }: Pick<Plan, 'rows' | 'gaps'>): void {
    for (const row of rows) this.#addRow(row);
    for (const gap of gaps) this.#addGap(gap);
  }

  /** Rows and frames of a kind. */
  kind(kind: RowKind): Share {
    return this.#byKind[kind];
  }

  /** Rows and frames of a block, a step or an insert, by id. */
  share(id: string): Share {
    return this.#shares.get(id) ?? { rows: 0, frames: 0 };
  }

  /** All rows, with each part of an item. */
  get rowCount(): number {
    return this.#rowCount;
  }

  get cutOff(): number {
    return this.#cutOff;
  }

  get uploads(): number {
    return this.#uploads.size;
  }

  /** @param issueOfSource the issue of a source of items, by its key; null: none */
  issues(issueOfSource: (key: string) => SourceIssue | null): PlanIssue[] {
    const { blocks, inserts, separation } = this.#rules;
    const steps = blocks.flatMap(({ steps: own }, place) =>
      own.map((step, index) => ({ path: `blocks/${place}/steps/${index}`, from: step.from })),
    );
    const drawing = [...steps, ...inserts.map(({ from }, place) => ({ path: `inserts/${place}`, from }))];
    const ofSources = drawing.flatMap(({ path, from }) => {
      const code = issueOfSource(sourceKey(from));
      return code === null ? [] : [issueOf(code, path)];
    });
    const idle = (code: PlanIssue['code'], path: string, each: readonly { readonly id: string }[]) =>
      each.flatMap(({ id }, place) => (this.#shares.has(id) ? [] : [issueOf(code, `${path}/${place}`)]));
    return [
      ...this.#gaps.map(({ blockID, fromFrame }) => {
        const place = blocks.findIndex(({ id }) => id === blockID);
        return { ...issueOf('programme_gap', place < 0 ? 'blocks' : `blocks/${place}`), firstFrame: fromFrame };
      }),
      ...ofSources,
      ...separation.flatMap((_, place) => {
        const found = this.#relaxed.get(place);
        return found ? [{ code: 'rule_relaxed' as const, path: `separation/${place}`, ...found }] : [];
      }),
      ...idle('block_never_plays', 'blocks', blocks),
      ...idle('insert_never_plays', 'inserts', inserts),
    ];
  }

  #addRow(row: PlannedRow): void {
    const { kind, item, blockID, stepID, insertID, frameCount, startFrame, isCutOff, relaxed = [] } = row;
    this.#rowCount++;
    this.#uploads.add(item.uploadID);
    if (isCutOff) this.#cutOff++;
    const ids = [blockID, stepID, insertID].filter((id) => id !== null && id !== undefined);
    for (const id of ids) if (!this.#shares.has(id)) this.#shares.set(id, { rows: 0, frames: 0 });
    for (const share of [this.#byKind[kind], ...ids.map((id) => this.#shares.get(id)!)]) {
      if (!continuesItem(row)) share.rows++;
      share.frames += frameCount;
    }
    for (const place of relaxed) {
      const found = this.#relaxed.get(place) ?? { count: 0, firstFrame: startFrame };
      this.#relaxed.set(place, { ...found, count: found.count + 1 });
    }
  }

  /** Gaps of two parts of a plan that meet are one gap. */
  #addGap(gap: Gap): void {
    const last = this.#gaps.at(-1);
    if (last?.untilFrame === gap.fromFrame && last.blockID === gap.blockID)
      this.#gaps[this.#gaps.length - 1] = { ...last, untilFrame: gap.untilFrame };
    else if (this.#gaps.length < mostGaps) this.#gaps.push(gap);
  }
}

/** The most gaps in the figures of a plan. */
const mostGaps = 20;

const issueOf = (code: PlanIssue['code'], path: string): PlanIssue => ({ code, path, count: 1, firstFrame: null });
