// The beginnings of programmes: the rows that streams play from a start on, until the run is planned on its frames.
// Decision D226.
import type { Database } from '../../data/database.ts';
import type { User } from '../../data/accounts/users.ts';
import type { PublishedProgramme } from '../../data/programme/programmes.ts';
import type { PartUpload } from '../../data/streams/stream-parts.ts';
import { formatOfStart } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { PlannedRow, PlannerState } from '../../domain/programme/planned-row.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { planProgramme } from './plan-programme.ts';

/** The beginning of a programme at a start. */
export interface PlannedStart {
  readonly programme: PublishedProgramme;
  readonly rows: readonly PlannedRow[];
  /** Whether its first row is later than the start. */
  readonly isGap: boolean;
  /** The uploads of the rows, by id. */
  readonly uploads: ReadonlyMap<string, PartUpload>;
  /** The start, and the state of the planner before it. */
  readonly at: Date;
  readonly before: PlannerState;
}

/** The part of a plan. */
export interface PlanLength {
  readonly seconds: number;
  readonly mostRows: number;
  /** The time of a processor that it may take; absent: that of a usual plan. */
  readonly mostProcessorMs?: number;
}

/** A run is planned this far ahead. */
export const lengthOfRun: PlanLength = { seconds: 32 * 3600, mostRows: 3000 };
/** A start plans this much: its run is planned again, for longer, as soon as it is on the air. */
const lengthOfStart: PlanLength = { seconds: 3600, mostRows: 60, mostProcessorMs: 1000 };

export interface PlanOfStart {
  /** Absent: now. */
  readonly at?: Date;
  readonly length?: PlanLength;
  /** Whether no other transaction deletes the uploads of the rows until this one ends. */
  readonly lock: boolean;
}

/** The beginnings of the published programmes of streams that start, by the id of the stream. */
export async function planStarts(
  data: Database,
  streams: readonly Stream[],
  users: ReadonlyMap<string, User>,
  { at, length = lengthOfStart, lock }: PlanOfStart,
): Promise<ReadonlyMap<string, readonly PlannedStart[]>> {
  const planned = streams.filter(({ planned_tracks: tracks }) => tracks !== null);
  if (planned.length === 0) return new Map();
  const beginsAt = at ?? (await data.now());
  const programmes = await data.programmes.ofStreams(planned.map(({ id }) => id));
  const found = new Map<string, PlannedStart[]>();
  for (const stream of planned) {
    const own = programmes.filter((programme) => programme.stream_id === stream.id);
    const starts: PlannedStart[] = [];
    for (const programme of own)
      starts.push(
        await planStart(data, { stream, user: users.get(stream.user_id)!, programme, at: beginsAt, length, lock }),
      );
    found.set(stream.id, starts);
  }
  return found;
}

interface Start {
  readonly stream: Stream;
  readonly user: User;
  readonly programme: PublishedProgramme;
  readonly at: Date;
  readonly length: PlanLength;
  readonly lock: boolean;
}

async function planStart(data: Database, start: Start): Promise<PlannedStart> {
  const { stream, user, programme, at, length, lock } = start;
  const rate = framesPerSecond[formatOfStart(stream, user).framerate];
  const grid = { anchoredAtMs: at.getTime(), framesPerSecond: rate };
  const { rows, before } = await planProgramme(data, {
    stream,
    programme,
    grid,
    earliestFrame: 0,
    boundaryFrame: 0,
    untilMs: at.getTime() + length.seconds * 1000,
    mostRows: length.mostRows,
    mostProcessorMs: length.mostProcessorMs,
  });
  const ids = [...new Set(rows.map(({ item }) => item.uploadID))];
  const readUploads = lock ? data.streamParts.lockUploads : data.streamParts.uploads;
  const uploads = ids.length === 0 ? [] : await readUploads([stream.user_id], ids);
  return {
    programme,
    rows,
    isGap: (rows[0]?.startFrame ?? 0) > 0,
    uploads: new Map(uploads.map((upload) => [upload.id, upload])),
    at,
    before,
  };
}
