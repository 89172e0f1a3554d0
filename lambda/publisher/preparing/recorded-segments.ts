// Makes segments of a rendition from those of a recorded session, which has its format already. Nothing is encoded.
import { buffer } from 'node:stream/consumers';
import type { LiveRecording } from '../../data/live/live-recordings.ts';
import { liveSegmentKey } from '../../domain/media/object-keys.ts';
import { formatName, groupsOfSegment, isSound } from '../../domain/playout/rendition.ts';
import type { Rendition } from '../../domain/playout/rendition.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import { deltaBytes, deltaField } from '../prepared/delta-chunks.ts';
import { assertGroups, assertSegment, maxHeaderBytes, readSegmentHeader } from '../prepared/segment-format.ts';
import { writeSegment } from '../prepared/segment-format.ts';
import type { Group, SegmentHeader } from '../prepared/segment-format.ts';

/** The segments of a session that are a recording. */
export type RecordedSession = Pick<LiveRecording, 'session_id' | 'format' | 'first_segment' | 'segment_count'>;

/** One segment of a session. */
export interface SessionSegment {
  readonly header: SegmentHeader;
  readonly groups: readonly { readonly video: Buffer; readonly sound: readonly Buffer[] }[];
}

/**
 * Reads a segment of a recorded session.
 * @param segment of the recording, from 0
 * @throws {ObjectNotFound}; {SegmentDamaged}; any error of the object store
 */
export async function sessionSegment(
  objects: Pick<ObjectStore, 'read'>,
  { session_id: sessionID, format, first_segment: first }: RecordedSession,
  segment: number,
): Promise<SessionSegment> {
  const { gopFrames } = profileOf(format);
  const bytes = await buffer(await objects.read(liveSegmentKey(sessionID, 'pictures', first + segment)));
  assertSegment(bytes);
  const header = readSegmentHeader(bytes.subarray(0, maxHeaderBytes));
  assertGroups(header, { firstGroup: (first + segment) * gopFrames, groupCount: gopFrames });
  const media = bytes.subarray(header.mediaStart);
  const groups = Array.from(header.videoBytes, (videoBytes, group) => {
    const [from, end] = [header.groupOffsets[group]!, header.groupOffsets[group + 1]!];
    const sound = media.subarray(from + videoBytes, end);
    return { video: media.subarray(from, from + videoBytes), sound: sound.length > 0 ? [sound] : [] };
  });
  return { header, groups };
}

/** Whether the segments of a recording are all pictures of a rendition. */
export function isRecordedAs({ format, segment_count: count }: RecordedSession, rendition: Rendition): boolean {
  if (isSound(rendition.format) || formatName(rendition.format) !== formatName(format)) return false;
  return rendition.groupCount === count * profileOf(format).gopFrames;
}

/**
 * The bytes of a segment of a rendition, from the segments of its recording.
 * @param rendition for which `isRecordedAs`
 * @throws the errors of `sessionSegment`
 */
export async function recordedSegment(
  objects: Pick<ObjectStore, 'read'>,
  recording: RecordedSession,
  { rendition, segment }: { readonly rendition: Rendition; readonly segment: number },
): Promise<Buffer> {
  const { gopFrames } = profileOf(recording.format);
  const { firstGroup, groupCount } = groupsOfSegment(rendition, segment);
  const groups: Group[] = [];
  let last: SegmentHeader | null = null;
  for (let first = firstGroup; first < firstGroup + groupCount; first += gopFrames) {
    const read = await sessionSegment(objects, recording, first / gopFrames);
    groups.push(...read.groups);
    last = read.header;
  }
  if (firstGroup === 0) withoutDeltas(groups);
  const { chunkSize, framesPerSecond, videoSequenceHeader, audioSequenceHeader } = last!;
  const facts = { chunkSize, framesPerSecond, gopFrames, firstGroup, videoSequenceHeader, audioSequenceHeader };
  return writeSegment(facts, groups);
}

/** Sets the times of the first messages of a rendition, which have none before them. */
function withoutDeltas(groups: readonly Group[]): void {
  for (const message of [groups[0]?.video, groups.find(({ sound }) => sound.length > 0)?.sound[0]])
    if (message) deltaBytes(0).copy(message, deltaField.offset);
}
