// Renditions with labels in place of pictures and sound: small enough to send months of them in a minute.
import { Readable } from 'node:stream';
import {
  firstSoundFrameFrom,
  pictureOffsetMs,
  soundOffsetMs,
} from '../../../lambda/domain/playout/prepared-play-out.ts';
import type { TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { groupsPerSegment, renditionOf, segmentCount } from '../../../lambda/domain/playout/rendition.ts';
import type { PictureFormat } from '../../../lambda/domain/playout/rendition.ts';
import { framesPerSecond } from '../../../lambda/domain/shared/video-format.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { liveSegmentKey } from '../../../lambda/domain/media/object-keys.ts';
import { ObjectNotFound } from '../../../lambda/ports/object-store/object-store.ts';
import type { ObjectStore } from '../../../lambda/ports/object-store/object-store.ts';
import { deltaChunks } from '../../../lambda/publisher/prepared/delta-chunks.ts';
import { segmentKey, writeSegment } from '../../../lambda/publisher/prepared/segment-format.ts';
import type { Group } from '../../../lambda/publisher/prepared/segment-format.ts';
import { mediaChunkSize } from '../../../lambda/publisher/rtmp/message.ts';

/** The offset of the label in a payload of each kind: one byte for the item, and two for the frame within it. */
export const labelOffset = { video: 5, audio: 2 } as const;
const labelBytes = 3;

/**
 * The segments of items by their keys, as the preparation would write them.
 * @param pictureBytes the size of each picture, for destinations that count bytes
 */
export function syntheticSegments(
  items: readonly TimelineItem[],
  format: PictureFormat,
  pictureBytes = labelOffset.video + labelBytes,
): Map<string, Buffer> {
  const segments = new Map<string, Buffer>();
  for (const [number, item] of items.entries()) {
    const rendition = renditionOf(item.uploadID, item, format);
    for (let segment = 0; segment < segmentCount(rendition); segment++) {
      const firstGroup = segment * groupsPerSegment(format);
      const end = Math.min(firstGroup + groupsPerSegment(format), rendition.groupCount);
      const groups = Array.from({ length: end - firstGroup }, (_, index) =>
        groupOf(number, firstGroup + index, format, pictureBytes),
      );
      segments.set(segmentKey(rendition, segment), writeSegment({ ...factsOf(format), firstGroup }, groups));
    }
  }
  return segments;
}

/** The segments of a session of a contributor by their keys, with `number` in place of that of an item. */
export function syntheticSession(
  sessionID: string,
  number: number,
  format: PictureFormat,
  segmentCount: number,
): Map<string, Buffer> {
  const segments = new Map<string, Buffer>();
  const facts = factsOf(format);
  const { framesPerSecond: rate, gopFrames } = facts;
  for (let segment = 0; segment < segmentCount; segment++) {
    const pictures = Array.from({ length: gopFrames }, (_, index) => segment * gopFrames + index);
    const groups = pictures.map((picture) => groupOf(number, picture, format, labelOffset.video + labelBytes));
    const firstGroup = segment * gopFrames;
    segments.set(liveSegmentKey(sessionID, 'pictures', segment), writeSegment({ ...facts, firstGroup }, groups));
    const sound = groups.flatMap((group) => group.sound.map((message) => ({ video: null, sound: [message] })));
    const soundFacts = { ...facts, framesPerSecond: null, gopFrames: 1, videoSequenceHeader: null };
    const firstSound = firstSoundFrameFrom(firstGroup, rate);
    segments.set(
      liveSegmentKey(sessionID, 'sound', segment),
      writeSegment({ ...soundFacts, firstGroup: firstSound }, sound),
    );
  }
  return segments;
}

/** The segments of songs alone by their keys. */
export function syntheticSongs(songs: readonly TimelineItem[], firstNumber: number): Map<string, Buffer> {
  const segments = new Map<string, Buffer>();
  for (const [index, song] of songs.entries()) {
    const rendition = renditionOf(song.uploadID, song, 'sound');
    for (let segment = 0; segment < segmentCount(rendition); segment++) {
      const firstGroup = segment * groupsPerSegment('sound');
      const end = Math.min(firstGroup + groupsPerSegment('sound'), rendition.groupCount);
      const groups = Array.from({ length: end - firstGroup }, (_, place) => {
        const frame = firstGroup + place;
        const payload = labelled([0xaf, 1], firstNumber + index, frame);
        return { video: null, sound: [deltaChunks('audio', sinceBefore(frame, soundOffsetMs), payload)] };
      });
      const facts = { chunkSize: mediaChunkSize, framesPerSecond: null, gopFrames: 1, firstGroup };
      const headers = { videoSequenceHeader: null, audioSequenceHeader: Buffer.of(0xaf, 0) };
      segments.set(segmentKey(rendition, segment), writeSegment({ ...facts, ...headers }, groups));
    }
  }
  return segments;
}

/** An object store that has only these segments. */
export function objectsOf(segments: ReadonlyMap<string, Buffer>): Pick<ObjectStore, 'read'> {
  return {
    read: async (key, range) => {
      const bytes = segments.get(key);
      if (!bytes) throw new ObjectNotFound(key);
      return Readable.from([bytes.subarray(range!.start, range!.end + 1)]);
    },
  };
}

function factsOf({ quality, framerate }: PictureFormat) {
  return {
    chunkSize: mediaChunkSize,
    framesPerSecond: framesPerSecond[framerate],
    gopFrames: profileOf({ quality, framerate, videoCodec: 'h264' }).gopFrames,
    videoSequenceHeader: Buffer.of(0x17, 0),
    audioSequenceHeader: Buffer.of(0xaf, 0),
  };
}

function groupOf(item: number, picture: number, format: PictureFormat, pictureBytes: number): Group {
  const { framesPerSecond: rate, gopFrames } = factsOf(format);
  const sound: Buffer[] = [];
  for (let frame = firstSoundFrameFrom(picture, rate); frame < firstSoundFrameFrom(picture + 1, rate); frame++) {
    sound.push(deltaChunks('audio', sinceBefore(frame, soundOffsetMs), labelled([0xaf, 1], item, frame)));
  }
  const head = [picture % gopFrames === 0 ? 0x17 : 0x27, 1, 0, 0, 0];
  const deltaMs = sinceBefore(picture, (each) => pictureOffsetMs(each, rate));
  return { video: deltaChunks('video', deltaMs, labelled(head, item, picture, pictureBytes)), sound };
}

/** The milliseconds from the previous frame to this one; 0 for the first. */
function sinceBefore(position: number, offsetMs: (position: number) => number): number {
  return position === 0 ? 0 : offsetMs(position) - offsetMs(position - 1);
}

function labelled(head: readonly number[], item: number, frame: number, bytes = head.length + labelBytes): Buffer {
  const payload = Buffer.alloc(bytes);
  Buffer.of(...head, item).copy(payload);
  payload.writeUInt16BE(frame, head.length + 1);
  return payload;
}
