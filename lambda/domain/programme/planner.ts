// The planner of a programme: the item that plays at each time, and the reasons.
// It has no clock and no chance: equal rules, members and rows so far give an equal plan.
import type { BlockTime } from './block-times.ts';
import type { Gap, Plan, PlanRequest } from './plan-request.ts';
import { framesOfPart } from '../playout/play-out.ts';
import { dueInsert, isAllowed, ZoneOffsets } from './breaks.ts';
import { fillerFor } from './fill-time.ts';
import { frameOfMs, lastEdgeUntil, msOfFrame, roomIn, spansOf } from './frame-grid.ts';
import type { Room, Span } from './frame-grid.ts';
import { chooseItem } from './item-choice.ts';
import type { Chances } from './item-choice.ts';
import { itemsOfBreak } from './break-items.ts';
import type { BreakItem } from './break-items.ts';
import { breakPointsOf } from './mid-rolls.ts';
import type { BreakPoint } from './mid-rolls.ts';
import type { PlannableItem } from './plannable.ts';
import { applyRow, heardAs } from './planned-row.ts';
import type { PlannedRow, PlannerState, Rest, TimedRow } from './planned-row.ts';
import { PlannedSources } from './planned-sources.ts';
import { onlyOne, ownerIn } from './row-choice.ts';
import type { RowChoice, RowSays } from './row-choice.ts';
import { Seams } from './seams.ts';
import type { OpenEnd, Seam } from './seams.ts';
import { sourcesOf } from './programme-rules.ts';
import type { Insert } from './programme-rules.ts';
import type { Heard } from './separation.ts';

/** A queued item that would be cut off waits so long at most. */
const mostWaitSeconds = 3600;
/** Refused members that a row lists. */
const mostListed = 10;

/** Plans rows from a frame on. */
export function plan(request: PlanRequest): Plan {
  return planInParts(request, () => false).next().value!;
}

/**
 * Plans rows from a frame on, in parts, so that other work of the process runs between two. Each part has the state
 * after it.
 * @param endsPart whether a part with so many rows ends
 */
export function planInParts(request: PlanRequest, endsPart: (rows: number) => boolean): Generator<Plan, undefined> {
  return new Planning(request).parts(endsPart);
}

/** A room within the time of a block. */
type PlannedRoom = Room & { readonly time: BlockTime };

class Planning {
  readonly #request: PlanRequest;
  readonly #heard: Heard;
  readonly #spans: readonly Span[];
  readonly #zone: ZoneOffsets;
  readonly #sources: PlannedSources;
  /** The points of the item that was divided last. */
  #divided: { readonly item: PlannableItem; readonly blockID: string | null; readonly points: BreakPoint[] } | null =
    null;
  #rows: PlannedRow[] = [];
  #gaps: Gap[] = [];
  readonly #state: PlannerState;
  readonly #seams: Seams;
  /** The end of the last row, if the next one may join it. */
  #openEnd: OpenEnd | null = null;
  /** The first frame at which the next row may begin. */
  #frame: number;
  /** Frames from there to the end of the last row. */
  #lead = 0;
  #spanIndex = 0;
  /** The row before the plan as it was planned, while its end is open; null: none is. */
  #continued: PlannedRow | null = null;
  constructor(request: PlanRequest) {
    const { rules, blockTimes, grid } = request;
    this.#request = request;
    this.#heard = request.heard.copy();
    this.#spans = spansOf(blockTimes, grid);
    this.#zone = new ZoneOffsets(rules.timeZone);
    this.#sources = new PlannedSources(request, this.#zone, () => msOfFrame(grid, this.#frame));
    this.#state = structuredClone(request.state);
    this.#frame = request.fromFrame;
    this.#seams = new Seams(request.joins ?? null, rules.inserts, grid.framesPerSecond);
    if (request.before) this.#continueFrom(request.before);
  }

  /** Continues the row before the plan. Its end is open again, as far as its join was planned. */
  #continueFrom(before: TimedRow): void {
    const { grid, fromFrame } = this.#request;
    const boundaryFrame = lastEdgeUntil(this.#spans, frameOfMs(grid, before.endMs), 0);
    const continued = this.#seams.continued(before, { grid, fromFrame, boundaryFrame });
    if (!continued) return;
    this.#lead = continued.leadFrames;
    this.#frame = continued.endFrame - this.#lead;
    this.#openEnd = continued.openEnd;
    if (continued.row) this.#rows.push(continued.row);
    this.#continued = continued.row && before.row;
  }

  /** The end of the last row or gap. */
  get #endFrame(): number {
    return this.#frame + this.#lead;
  }

  /** Ends the last row by a cut: the next row does not begin before its end. */
  #cutHere(): void {
    this.#frame = this.#endFrame;
    this.#lead = 0;
    this.#openEnd = null;
  }

  *parts(endsPart: (rows: number) => boolean): Generator<Plan, undefined> {
    for (const from of sourcesOf(this.#request.rules)) {
      this.#sources.canPlay(from);
      if (endsPart(0)) yield this.#takePart();
    }
    do {
      while (this.#endFrame < this.#request.untilFrame) {
        const room = this.#room();
        const rest = this.#owedRest();
        if (rest) this.#continueItem(rest);
        else if (room.time !== null) this.#planNext({ ...room, time: room.time });
        else if (!this.#addQueued(room)) this.#fillOrLeave(room, null, room.deadline);
        if (endsPart(this.#rows.length)) break;
      }
      yield this.#takePart();
    } while (this.#endFrame < this.#request.untilFrame);
  }

  #takePart(): Plan {
    // The next row decides on the end of the last one.
    const isOver = this.#endFrame >= this.#request.untilFrame || !this.#openEnd;
    const open = isOver ? [] : this.#rows.splice(-1);
    const endFrame = open[0]?.startFrame ?? this.#endFrame;
    const before = this.#takeContinued();
    const part = { rows: this.#rows, gaps: this.#gaps, state: this.#state, endFrame, ...(before && { before }) };
    this.#rows = open;
    this.#gaps = [];
    return part;
  }

  /** The row before the plan, taken from the rows; null: it ends as it was planned, or its end is open. */
  #takeContinued(): PlannedRow | null {
    const was = this.#continued;
    if (!was || this.#rows.length === 0) return null;
    this.#continued = null;
    const row = this.#rows.shift()!;
    return row.frameCount !== was.frameCount || row.joinSeconds === undefined ? row : null;
  }

  #room(): Room {
    while (this.#spanIndex < this.#spans.length && this.#spans[this.#spanIndex]!.until <= this.#frame)
      this.#spanIndex++;
    return roomIn(this.#spans.slice(this.#spanIndex, this.#spanIndex + 2), this.#frame);
  }

  #planNext(room: PlannedRoom): void {
    const { block, untilMs } = room.time;
    if (!block.isOffAir && this.#addBetween(room)) return;
    const choice = chooseItem(room.time, this.#chances(room));
    const says = choice && { stepID: choice.step.id, ...ownerIn(room) };
    if (says && block.isOffAir) this.#addRow({ kind: 'off_air', ...says }, choice, room);
    else if (says) this.#addPart({ kind: 'item', ...says }, choice, room, 0);
    else this.#fillOrLeave(room, block.id, frameOfMs(this.#request.grid, untilMs));
  }

  #chances({ deadline }: Room): Chances {
    const { grid } = this.#request;
    return {
      state: this.#state,
      heard: this.#heard,
      sources: this.#sources,
      startMs: msOfFrame(grid, this.#frame),
      frames: deadline - this.#frame,
      framesUntilEndOf: (item) => this.#startOf({ kind: 'item' }, item, deadline) - this.#frame + this.#framesOf(item),
      framesPerSecond: grid.framesPerSecond,
    };
  }

  /** Plans a break that is due, or a queued item. @returns whether there is one */
  #addBetween(room: PlannedRoom): boolean {
    const insert = this.#dueInsert(room);
    return (insert !== null && this.#addBreak(insert, room)) || this.#addQueued(room);
  }

  /** Plans filler, or without filler a gap. */
  #fillOrLeave(room: Room, blockID: string | null, untilFrame: number): void {
    if (!this.#fill(room)) this.#addGap(blockID, Math.min(untilFrame, this.#request.untilFrame));
  }

  // Queue

  /** Plans the next queued item, unless it waits. */
  #addQueued(room: Room): boolean {
    const { queuedThrough = 0 } = this.#state;
    const next = this.#request.queue.find(({ number }) => number > queuedThrough);
    if (next === undefined || this.#waits(next.item, room)) return false;
    const choice = { item: next.item, ...onlyOne };
    this.#addPart({ kind: 'queued', queueNumber: next.number, ...ownerIn(room) }, choice, room, 0);
    return true;
  }

  /** Whether an item would be cut off here, and is not in a room that begins within an hour. */
  #waits(item: PlannableItem, { deadline }: Room): boolean {
    const frames = this.#framesOf(item);
    if (frames <= deadline - this.#endFrame) return false;
    const latest = this.#frame + mostWaitSeconds * this.#request.grid.framesPerSecond;
    return this.#spans.some(
      ({ from }, index) =>
        from > this.#frame &&
        from <= latest &&
        roomIn(this.#spans.slice(index, index + 2), from).deadline - from >= frames,
    );
  }

  // Inserts

  #dueInsert({ time, deadline }: PlannedRoom): Insert | null {
    const { rules, grid } = this.#request;
    if (deadline - this.#endFrame < grid.framesPerSecond) return null;
    return dueInsert(rules, { time, state: this.#state, nowMs: msOfFrame(grid, this.#frame), zone: this.#zone });
  }

  /** @returns whether anything of the break can be played */
  #addBreak(insert: Insert, room: Room, owner = ownerIn(room)): boolean {
    let isBegun = false;
    for (const next of this.#itemsOfBreak(insert)) {
      if (this.#endFrame >= room.deadline) return true;
      const says = { kind: 'insert', insertID: insert.id, ...(!isBegun && { beginsBreak: true as const }) } as const;
      this.#addRow({ ...says, ...owner }, { ...next, ...onlyOne }, room);
      isBegun = true;
    }
    return isBegun;
  }

  #itemsOfBreak(insert: Insert): Generator<BreakItem> {
    return itemsOfBreak(insert, this.#sources, this.#state.cursors);
  }

  // Mid-rolls

  /** The rest of an item that a break has interrupted; null: none, or it would be cut off at once. */
  #owedRest(): Rest | null {
    const { rest } = this.#state;
    if (rest && this.#deadlineOf(rest.beganMs) > this.#endFrame) return rest;
    delete this.#state.rest;
    return null;
  }

  /** The frame that cuts off an item that began at a time, with its breaks. */
  #deadlineOf(beganMs: number): number {
    const began = frameOfMs(this.#request.grid, beganMs);
    const first = this.#spans.findIndex(({ until }) => until > began);
    return first < 0 ? Infinity : roomIn(this.#spans.slice(first, first + 2), began).deadline;
  }

  /** Plans the break that interrupts an item, or its next part. */
  #continueItem(rest: Rest): void {
    const { item, kind, blockID, occurrenceMs, stepID, beganMs, breakID } = rest;
    const room: Room = { time: null, deadline: this.#deadlineOf(beganMs) };
    const insert = this.#request.rules.inserts.find(({ id }) => id === breakID);
    const owner = { blockID, occurrenceMs };
    if (insert && this.#isAllowedAt(insert, this.#endFrame) && this.#addBreak(insert, room, owner)) return;
    const itemStartFrame = frameOfMs(this.#request.grid, beganMs);
    const says = { kind, ...(stepID !== undefined && { stepID }), itemStartFrame, ...owner };
    this.#addPart(says, { item, ...onlyOne }, room, rest.fromSeconds);
  }

  /** Plans an item from a time on, up to its next break. */
  #addPart(says: RowSays, choice: RowChoice, room: Room, fromSeconds: number): void {
    const start = fromSeconds === 0 ? this.#startOf(says, choice.item, room.deadline) : this.#endFrame;
    const point = this.#breakIn(choice.item, says.blockID, { fromSeconds, start }, room);
    if (point === null && fromSeconds === 0) return this.#addRow(says, choice, room);
    const part = { fromSeconds, untilSeconds: point?.seconds ?? null };
    this.#addRow({ ...says, part, ...(point && { breakID: point.insert.id }) }, choice, room);
  }

  /** The next break of an item that begins, or continues, now; null: none. */
  #breakIn(
    item: PlannableItem,
    blockID: string | null,
    { fromSeconds, start }: { readonly fromSeconds: number; readonly start: number },
    { deadline }: Room,
  ): BreakPoint | null {
    const rate = this.#request.grid.framesPerSecond;
    const end = start + this.#framesOf(item) - fromSeconds * rate;
    const lengths = new Map<Insert, number>();
    const lengthOf = (insert: Insert) => lengths.get(insert) ?? this.#framesOfBreak(insert);
    const found = this.#breakPoints(item, blockID).find(({ insert, seconds }) => {
      const frame = start + (seconds - fromSeconds) * rate;
      if (seconds <= fromSeconds || frame >= deadline || !this.#isAllowedAt(insert, frame)) return false;
      const frames = lengthOf(insert);
      lengths.set(insert, frames);
      // A break does not have an item cut off that would be whole without it.
      return frames > 0 && (end > deadline || end + frames <= deadline);
    });
    return found ?? null;
  }

  /** The points of an item, which each of its parts asks for. */
  #breakPoints(item: PlannableItem, blockID: string | null): readonly BreakPoint[] {
    if (this.#divided?.item !== item || this.#divided.blockID !== blockID)
      this.#divided = { item, blockID, points: breakPointsOf(this.#request.rules.inserts, item, blockID) };
    return this.#divided.points;
  }

  #framesOfBreak(insert: Insert): number {
    return this.#itemsOfBreak(insert).reduce((sum, next) => sum + this.#framesOf(next.item), 0);
  }

  #isAllowedAt(insert: Insert, frame: number): boolean {
    const { rules, grid } = this.#request;
    return isAllowed(insert, rules, { state: this.#state, nowMs: msOfFrame(grid, frame) });
  }

  // Filler

  /** Fills the time until the deadline, or of one item without a deadline. @returns whether there is filler */
  #fill(room: Room): boolean {
    const { framesPerSecond } = this.#request.grid;
    const heardMs = ({ uploadID }: PlannableItem) => this.#heard.lastHeardMs(uploadID);
    const oldest = this.#sources.fillers().toSorted((one, other) => compared(heardMs(one), heardMs(other)));
    if (oldest.length === 0) return false;
    this.#cutHere();
    const seconds = (room.deadline - this.#frame) / framesPerSecond;
    const chosen = Number.isFinite(seconds) ? fillerFor(seconds, oldest) : [];
    for (const item of chosen) this.#addFiller(item, room);
    // The rest that no sum fills has one that is cut off.
    const least = oldest.find((item) => !chosen.includes(item)) ?? oldest[0]!;
    if (this.#frame < room.deadline) this.#addFiller(least, room);
    return true;
  }

  #addFiller(item: PlannableItem, room: Room): void {
    const choice = { item, ...onlyOne };
    this.#addRow({ kind: 'filler', ...ownerIn(room) }, choice, room);
  }

  // Rows

  #addRow(says: RowSays, choice: RowChoice, { time, deadline }: Room): void {
    const { item, cursor, move, candidates, refused, relaxed } = choice;
    const seam = this.#seamOf(says, item, deadline);
    const startFrame = this.#endFrame - (seam?.overlapFrames ?? 0);
    if (seam) this.#joinLast(seam);
    const whole = this.#framesOf(item, says.part);
    const frameCount = Math.min(whole, deadline - startFrame);
    const row: PlannedRow = {
      ...says,
      item,
      startFrame,
      frameCount,
      isCutOff: frameCount < whole,
      ...(cursor !== undefined && move && { cursor, move }),
      ...(candidates > 1 && { candidates }),
      ...(refused.length > 0 && { refused: refused.slice(0, mostListed) }),
      ...(relaxed.length > 0 && { relaxed }),
    };
    const { grid } = this.#request;
    const endFrame = startFrame + frameCount;
    const timed: TimedRow = { row, startMs: msOfFrame(grid, startFrame), endMs: msOfFrame(grid, endFrame) };
    this.#rows.push(row);
    applyRow(this.#state, timed, time?.block);
    this.#heard.add(heardAs(timed));
    const boundaryFrame = this.#seams.areJoined ? lastEdgeUntil(this.#spans, endFrame, this.#spanIndex) : 0;
    this.#openEnd = this.#seams.endOf(row, { startFrame, endFrame, deadline, boundaryFrame });
    this.#lead = this.#openEnd?.leadFrames ?? 0;
    this.#frame = endFrame - this.#lead;
  }

  #seamOf(says: Pick<RowSays, 'kind' | 'insertID' | 'part'>, item: PlannableItem, deadline: number): Seam | null {
    if (!this.#openEnd) return null;
    const frames = Math.min(this.#framesOf(item, says.part), deadline - this.#endFrame);
    return this.#seams.seamOf(this.#openEnd, says, frames);
  }

  /** The frame at which a row would begin that comes next. */
  #startOf(says: Pick<RowSays, 'kind' | 'insertID' | 'part'>, item: PlannableItem, deadline: number): number {
    return this.#endFrame - (this.#seamOf(says, item, deadline)?.overlapFrames ?? 0);
  }

  /** Joins the last row with the next one. */
  #joinLast({ joinSeconds, overlapFrames }: Seam): void {
    const last = this.#rows.pop()!;
    this.#rows.push({ ...last, frameCount: last.frameCount - overlapFrames, joinSeconds });
  }

  #addGap(blockID: string | null, untilFrame: number): void {
    this.#cutHere();
    const until = Math.max(this.#frame + 1, untilFrame);
    this.#gaps.push({ fromFrame: this.#frame, untilFrame: until, blockID });
    this.#frame = until;
  }

  #framesOf(item: PlannableItem, part?: PlannedRow['part']): number {
    return framesOfPart({ item, part }, this.#request.grid.framesPerSecond).frameCount;
  }
}

function compared(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
