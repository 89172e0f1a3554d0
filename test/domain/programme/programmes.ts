// Programmes, uploads and plans of tests.
import { blockTimesOf } from '../../../lambda/domain/programme/block-times.ts';
import type { PlannableCollection, PlannableItem } from '../../../lambda/domain/programme/plannable.ts';
import { stateOfBeginning } from '../../../lambda/domain/programme/planned-row.ts';
import type { PlannedRow } from '../../../lambda/domain/programme/planned-row.ts';
import { frameOfMs, msOfFrame } from '../../../lambda/domain/programme/frame-grid.ts';
import type { FrameGrid } from '../../../lambda/domain/programme/frame-grid.ts';
import { plan } from '../../../lambda/domain/programme/planner.ts';
import type { Plan, PlanRequest } from '../../../lambda/domain/programme/plan-request.ts';
import type { Block, Insert, ProgrammeRules, Step } from '../../../lambda/domain/programme/programme-rules.ts';
import { Heard } from '../../../lambda/domain/programme/separation.ts';
import type { HeardItem } from '../../../lambda/domain/programme/separation.ts';

export const midnight = Date.UTC(2026, 0, 5);
export const hours = (count: number) => count * 3_600_000;
export const days = (count: number) => count * hours(24);
export const grid: FrameGrid = { anchoredAtMs: midnight, framesPerSecond: 25 };

export function item(uploadID: string, seconds: number, facts: Partial<PlannableItem> = {}): PlannableItem {
  return {
    uploadID,
    name: uploadID,
    durationSeconds: seconds,
    createdAtMs: midnight,
    titles: {},
    tags: [],
    folder: null,
    ...facts,
  };
}

export function items(prefix: string, count: number, seconds: (index: number) => number): PlannableItem[] {
  return Array.from({ length: count }, (_, index) => item(`${prefix}${index}`, seconds(index)));
}

export function collection(
  members: readonly PlannableItem[],
  order: PlannableCollection['order'] = 'shuffle',
): PlannableCollection {
  return { order, members, groupOf: ({ folder }) => folder };
}

export const step = (id: string, facts: Partial<Step> = {}): Step => ({
  id,
  from: { collectionID: id },
  count: 1,
  weight: 1,
  cursor: 'own',
  ...facts,
});

export const block = (id: string, facts: Partial<Block> = {}): Block => ({
  id,
  name: id,
  hours: null,
  priority: 50,
  starts: 'next_item',
  latestMinutes: null,
  ends: 'finish',
  isOrdered: false,
  steps: [step(id)],
  ...facts,
});

export const insert = (id: string, facts: Partial<Insert> & Pick<Insert, 'when'>): Insert => ({
  id,
  name: id,
  from: { collectionID: id },
  perBreak: 1,
  introUploadID: null,
  outroUploadID: null,
  mostPerHour: null,
  shortestGapMinutes: 0,
  ...facts,
});

export const at = (time: string, minutes: number, rule = 'FREQ=DAILY') => ({
  rule,
  firstDay: '2026-01-01',
  lastDay: null,
  at: time,
  minutes,
});

export const rules = (facts: Partial<ProgrammeRules> & Pick<ProgrammeRules, 'blocks'>): ProgrammeRules => ({
  timeZone: 'UTC',
  inserts: [],
  separation: [],
  filler: null,
  insertSecondsPerHour: null,
  seed: 1,
  ...facts,
});

export type Collections = Readonly<Record<string, PlannableCollection>>;

interface RequestFacts extends Partial<Omit<PlanRequest, 'heard'>>, Partial<Span> {
  /** Those of another request, or items, the oldest first. */
  readonly heard?: Heard | readonly HeardItem[];
}

/** The request of a plan from a time on; the other fields begin a programme. */
export async function requestOf(
  programme: ProgrammeRules,
  collections: Collections,
  { fromMs = midnight, untilMs = midnight + days(1), heard = [], ...facts }: RequestFacts = {},
): Promise<PlanRequest> {
  return {
    rules: programme,
    blockTimes: await blockTimesOf(programme, { fromMs, untilMs: untilMs + days(2) }),
    collections: new Map(Object.entries(collections).map(([id, each]) => [`collection/${id}`, each])),
    queue: [],
    heard: heard instanceof Heard ? heard : new Heard(programme.separation, heard),
    state: stateOfBeginning(),
    grid,
    fromFrame: frameOfMs(facts.grid ?? grid, fromMs),
    untilFrame: frameOfMs(facts.grid ?? grid, untilMs),
    ...facts,
  };
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

export async function planned(...given: Parameters<typeof requestOf>): Promise<Plan> {
  return plan(await requestOf(...given));
}

/** The rows as HH:mm:ss and upload, in UTC. */
export function told({ rows }: Pick<Plan, 'rows'>): string[] {
  return rows.map(({ startFrame, item: { uploadID } }) => `${timeOf(startFrame)} ${uploadID}`);
}

export function timeOf(frame: number): string {
  return new Date(msOfFrame(grid, frame)).toISOString().slice(11, 19);
}

export const idsOf = (rows: readonly PlannedRow[]) => rows.map((row) => row.item.uploadID);
