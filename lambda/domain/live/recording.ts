// Recordings: the parts of sessions that takeovers have shown, which become uploads.
import { soundBitrateKbps, videoBitrateKbps } from '../shared/video-format.ts';
import { gopSeconds } from '../playout/rendition.ts';
import type { PictureFormat } from '../playout/rendition.ts';
import { liveKeptDays } from '../media/object-keys.ts';
import { maxBytesInParts } from '../media/upload-parts.ts';
import type { TakeoverInterval } from './takeover-intervals.ts';

/** Segments of a session. */
export interface RecordedSegments {
  readonly firstSegment: number;
  readonly segmentCount: number;
  /** Whether the session was shown for longer. */
  readonly isCut: boolean;
}

const hourSeconds = 3600;
/** Recordings are made within the rest of the day for which segments are kept. */
const longestSeconds = 12 * hourSeconds;
/** Encoders exceed their rates for a while, and a file has tables. */
const bytesMargin = 1.1;
/** Segments are kept for at least this time after their recording has ended. The rest is a margin. */
const usableSeconds = liveKeptDays * 24 * hourSeconds - longestSeconds - hourSeconds;
/** Frames of sound begin with a segment whose number is a multiple of this, at any framerate: every 8 s. */
const alignedSegments = 4;

/**
 * The segments of a session to record: from the first to the last one that a takeover has shown, and up to three
 * before, which align pictures and sound.
 * @param intervals of the session in the takeover
 * @param stored segments of the session that are stored or will be
 * @returns null if nothing was shown
 */
export function recordedSegments(
  intervals: readonly TakeoverInterval[],
  { format, stored }: { readonly format: PictureFormat; readonly stored: number },
  gopFrames: number,
): RecordedSegments | null {
  const shown = intervals.filter(({ fromFrame, toFrame }) => toFrame === null || toFrame > fromFrame);
  if (shown.length === 0) return null;
  const endOf = ({ fromFrame, toFrame, firstSegment }: TakeoverInterval) =>
    toFrame === null ? Infinity : firstSegment + Math.ceil((toFrame - fromFrame) / gopFrames);
  const first = Math.min(...shown.map(({ firstSegment }) => firstSegment));
  const firstSegment = first - (first % alignedSegments);
  const wanted = Math.min(stored, Math.max(...shown.map(endOf))) - firstSegment;
  const most = Math.floor(Math.min(longestSeconds, maxBytesInParts / bytesPerSecond(format)) / gopSeconds);
  const segmentCount = Math.min(wanted, most);
  return first >= firstSegment + segmentCount ? null : { firstSegment, segmentCount, isCut: wanted > most };
}

/** The most bytes of the file of a recording. */
export function expectedBytes(format: PictureFormat, { segmentCount }: Pick<RecordedSegments, 'segmentCount'>): number {
  return Math.min(maxBytesInParts, Math.ceil(segmentCount * gopSeconds * bytesPerSecond(format)));
}

function bytesPerSecond({ quality, framerate, videoCodec }: PictureFormat): number {
  return ((videoBitrateKbps(quality, framerate, videoCodec) + soundBitrateKbps) * 1000 * bytesMargin) / 8;
}

/** The name of a recording: that of the input, and the time in UTC at which viewers saw its beginning. */
export function recordingName(inputName: string, shownAt: Date): string {
  const time = `${shownAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${Array.from(inputName)
    .slice(0, 255 - time.length - 1)
    .join('')} ${time}`;
}

/** Whether the segments of a recording are still stored. @param createdAt the time at which it was requested */
export function areSegmentsKept(createdAt: Date, now: Date): boolean {
  return now.getTime() - createdAt.getTime() < usableSeconds * 1000;
}

/** The beginning of the source of a recording. No link begins so. */
export const recordingScheme = 'live:';

/** The source of a recording in place of the link of an import. */
export function recordingSource(sessionID: string): string {
  return recordingScheme + sessionID;
}

/** Whether the source of an import is a recording. */
export function isRecordingSource(url: string): boolean {
  return url.startsWith(recordingScheme);
}
