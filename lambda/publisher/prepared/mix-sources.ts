// What is sent in place of an item of a sound track while videos are heard under it.
import { mixChunkOf, mixedSoundAt } from '../../domain/playout/mixed-sound.ts';
import { joinKey } from '../../domain/media/object-keys.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { isSentFrom, joinSource } from './segment-sources.ts';
import type { SegmentSource, SentTrack, SourceSegment } from './segment-sources.ts';

interface Found {
  readonly sources: readonly SegmentSource[];
  /** Up to which frame of sound of the playing that is all. */
  readonly end: number;
}

/** The mixes of one playing, each looked for again as soon as the timeline is another one: an edit may be within it. */
export class MixSources {
  readonly #playing: Playing;
  readonly #framesPerSecond: number;
  readonly #lostKeys = new Set<string>();
  #timeline: SentTrack | null = null;
  #found: Found = { sources: [], end: 0 };

  constructor(playing: Playing, framesPerSecond: number) {
    this.#playing = playing;
    this.#framesPerSecond = framesPerSecond;
  }

  /** What is there of a frame of sound on, as a timeline says that. */
  at(timeline: SentTrack, group: number): Found {
    if (timeline !== this.#timeline || group >= this.#found.end) this.#found = this.#find(timeline, group);
    this.#timeline = timeline;
    return this.#found;
  }

  /** Does without one that cannot be read. @returns false where it is none of these */
  leaveOut(source: SegmentSource, { key }: Pick<SourceSegment, 'key'>): boolean {
    if (!this.#found.sources.includes(source)) return false;
    this.#lostKeys.add(key);
    this.#found = { ...this.#found, sources: [] };
    return true;
  }

  #find({ joins, ...track }: SentTrack, group: number): Found {
    const { occurrence, startFrame } = this.#playing;
    // What stands in for something else, and what is repeated as it is too short, has none.
    const hasNone = !track.under || occurrence.isStandIn || startFrame !== occurrence.startFrame;
    if (hasNone) return { sources: [], end: Infinity };
    const mix = joins?.size ? mixedSoundAt(track, occurrence, group, this.#framesPerSecond) : null;
    const isSent = mix && isSentFrom(mix, joins!, this.#framesPerSecond) && !this.#lostKeys.has(joinKey(mix.name));
    return { sources: isSent ? [joinSource(mix)] : [], end: mixChunkOf(occurrence, group, this.#framesPerSecond).end };
  }
}
