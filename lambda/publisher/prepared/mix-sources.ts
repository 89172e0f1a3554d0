// The mixes that replace an item of the sound track while videos are heard under it.
import { mixChunkOf, mixPartAt } from '../../domain/playout/mixed-sound.ts';
import { joinKey } from '../../domain/media/object-keys.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { isSentFrom, joinSource } from './segment-sources.ts';
import type { SegmentSource, SentTrack, SourceSegment } from './segment-sources.ts';

interface Found {
  readonly sources: readonly SegmentSource[];
  /** The frame of sound of the playing up to which these sources are valid. */
  readonly end: number;
}

/** The mixes of one playing. They are looked up again when the timeline changes, as an edit may affect them. */
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

  /** The mixes from a frame of sound on, by a timeline. */
  at(timeline: SentTrack, group: number): Found {
    if (timeline !== this.#timeline || group >= this.#found.end) this.#found = this.#find(timeline, group);
    this.#timeline = timeline;
    return this.#found;
  }

  /** Drops a mix that cannot be read. @returns false if the source is none of these mixes */
  leaveOut(source: SegmentSource, { key }: Pick<SourceSegment, 'key'>): boolean {
    if (!this.#found.sources.includes(source)) return false;
    this.#lostKeys.add(key);
    this.#found = { ...this.#found, sources: [] };
    return true;
  }

  #find({ joins, ...track }: SentTrack, group: number): Found {
    const { occurrence, startFrame, skippedFrames } = this.#playing;
    // Stand-ins and repetitions of short items have no mixes.
    const hasNone = !track.under || occurrence.isStandIn || startFrame + skippedFrames !== occurrence.startFrame;
    if (hasNone) return { sources: [], end: Infinity };
    const mix = joins?.size ? mixPartAt(track, occurrence, group, this.#framesPerSecond) : null;
    const isSent = mix && isSentFrom(mix, joins!, this.#framesPerSecond) && !this.#lostKeys.has(joinKey(mix.name));
    return { sources: isSent ? [joinSource(mix)] : [], end: mixChunkOf(occurrence, group, this.#framesPerSecond).end };
  }
}
