// Makes uploads of the parts of sessions that takeovers have shown, if their inputs record. Decision D250.
import type { Pool } from 'pg';
import type { Database } from '../../data/database.ts';
import type { UnrecordedSession } from '../../data/live/live-recordings.ts';
import { expectedBytes, recordedSegments, recordingName, recordingSource } from '../../domain/live/recording.ts';
import { uploadKey } from '../../domain/media/object-keys.ts';
import { gopSeconds } from '../../domain/playout/rendition.ts';
import { wordsOf } from '../../domain/shared/limits.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { runClock } from '../../domain/streams/run-clock.ts';
import { inSets } from '../shared/in-sets.ts';
import { limitReached } from '../shared/limits.ts';

export interface RecordOptions {
  readonly newID: (prefix: string) => string;
  /** The factor of the stage for all limits. */
  readonly limitFactor: number;
}

const mostAtOnce = 100;

/**
 * Records the sessions that are due, each in a transaction of its own. Called by the sweep. Any number of processes may
 * call this at once.
 * @throws the first failure, once all others are recorded
 */
export async function recordSessions(pool: Pool, options: RecordOptions): Promise<void> {
  // A session without an end stays due, so those that were looked at are left out.
  const seen: string[] = [];
  await inSets(
    pool,
    1,
    async ({ liveRecordings }) => {
      const id = seen.length < mostAtOnce ? await liveRecordings.lockDue(seen) : null;
      if (id === null) return [];
      seen.push(id);
      return [{ id }];
    },
    async (data, [due]) => {
      const { id } = due!;
      for (const session of await data.liveRecordings.unrecorded(id)) await record(data, session, options);
      await data.liveRecordings.finish(id);
    },
  );
}

async function record(data: Database, session: UnrecordedSession, options: RecordOptions): Promise<void> {
  const { takeover_id: takeoverID, session_id: sessionID, format, segment_count: stored, intervals } = session;
  const rate = framesPerSecond[format.framerate];
  const segments = recordedSegments(intervals, { format, stored }, gopSeconds * rate);
  const none = { firstSegment: 0, segmentCount: 0, isCut: false };
  const recorded = { takeoverID, sessionID, ...(segments ?? none) };
  if (!segments) return void (await data.liveRecordings.insert({ ...recorded, uploadID: null, refusal: null }));
  const bytes = expectedBytes(format, segments);
  const wanted = { uploads: 1, storedBytes: bytes, incomingBytes: bytes };
  const reached = await limitReached(data, session.user_id, options.limitFactor, wanted);
  const shownAt = runClock(session.anchored_at, rate).timeOf(intervals[0]!.fromFrame);
  const uploadID = reached ? null : await importRecording(data, session, { bytes, shownAt }, options);
  await data.liveRecordings.insert({ ...recorded, uploadID, refusal: reached && wordsOf(reached) });
}

/** Creates an upload whose file an import worker makes from the segments. @returns its id */
async function importRecording(
  data: Database,
  { session_id: sessionID, user_id: userID, input_name: inputName }: UnrecordedSession,
  { bytes, shownAt }: { readonly bytes: number; readonly shownAt: Date },
  { newID }: RecordOptions,
): Promise<string> {
  const id = newID('upl');
  await data.uploads.insert({
    id,
    userID,
    name: recordingName(inputName, shownAt),
    mimeType: 'video/mp4',
    type: 'video',
    objectKey: uploadKey(userID, id),
    declaredSizeBytes: null,
    expectedBytes: bytes,
  });
  await data.imports.insert({ uploadID: id, userID, url: recordingSource(sessionID), named: true });
  await data.outbox.send({ queue: 'imports', body: { uploadID: id } });
  return id;
}
