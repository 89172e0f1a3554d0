// Encodes one contribution to a stream's own format, as segments that senders read a few seconds later.
import type { LiveSource } from '../domain/live/live-source.ts';
import type { SessionSignal } from '../domain/live/signal-loss.ts';
import { posterSizeOf } from '../domain/playout/posters.ts';
import type { PictureFormat } from '../domain/playout/rendition.ts';
import type { Log } from '../log.ts';
import type { EncoderSettings } from '../publisher/ffmpeg/encoder-arguments.ts';
import { profileOf } from '../publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../publisher/media/media-tools.ts';
import type { ContributedTag } from './contribution.ts';
import { DecodingLimit } from './decoding-limit.ts';
import { LiveFailure } from './live-failure.ts';
import { pictureTagOf, soundTagOf } from './media-tags.ts';
import type { PictureTag } from './media-tags.ts';
import { PictureTrack, SoundTrack } from './media-track.ts';
import { PictureGrid, Retiming } from './retiming.ts';
import { SegmentEncoder } from './segment-encoder.ts';
import type { LiveSegment } from './segment-encoder.ts';
import { SignalMeter } from './signal-meter.ts';
import { SourceFacts } from './source-facts.ts';
import { readPictureSize } from './tag-decoder.ts';

export interface SessionEncoderOptions {
  readonly tools: MediaTools;
  readonly format: Omit<PictureFormat, 'drawn' | 'variant'>;
  readonly encoder: EncoderSettings;
  /** Loudness of the sound; null: unchanged. */
  readonly targetLUFS: number | null;
  /** Called for each segment, in order. */
  readonly onSegment: (segment: LiveSegment) => void;
  /** Called with the poster of each window, in order: a JPEG. */
  readonly onPoster: (poster: Buffer) => void;
  /** Called when the source is first known, and when it has changed, at most once a second. */
  readonly onSource: (source: LiveSource) => void;
  /** Called once, when the session cannot continue. The encoder is closed then. */
  readonly onFailed: (error: LiveFailure) => void;
  /** Milliseconds of a clock that never jumps. */
  readonly steadyClock: () => number;
  readonly log: Log;
}

export interface SessionEncoder {
  /** Takes a tag in the order of arrival. Never throws. */
  receive(tag: ContributedTag): void;
  /** Bytes that are received and not decoded yet. More than 64 MiB end the session. */
  readonly bytesWaiting: number;
  /** Seconds of pictures that were passed to the encoder. */
  readonly encodedSeconds: number;
  /** Whether it has sound and pictures, by those that were passed to the encoder. */
  readonly signal: SessionSignal;
  /** The arrival of the first picture by the steady clock; null: none has come. */
  readonly startedAtMs: number | null;
  /** Ends the session. Resolves when its whole GOPs are out; the incomplete last one is discarded. */
  end(): Promise<void>;
  /** Ends the session at once, without further segments. */
  close(): void;
}

const mebibyte = 1024 * 1024;
/** The memory that a tag takes beside its body. */
const tagBytes = 128;
/** As large as a message of RTMP may be. */
const mostTagBytes = 8 * mebibyte;
const mostBytesWaiting = 64 * mebibyte;
/** Media this far ahead of its time waits: contributors begin with a burst, and files are sent at any speed. */
const mostAheadMs = 4000;
/** Pictures are reordered over 16 at most. Others would be shown far from their time. */
const mostCompositionMs = 2000;
const keyframeWithinMs = 10_000;
/** Pictures may be encoded this late before the session is given up. */
const mostBehindMs = 10_000;
const endWithinMs = 15_000;
const checkEveryMs = 50;
/** Sound that arrived before the first keyframe but may belong to it. */
const keptSoundTags = 100;
const keptSoundBytes = mebibyte / 4;

export function openSessionEncoder(options: SessionEncoderOptions): SessionEncoder {
  return new Session(options);
}

class Session implements SessionEncoder {
  readonly #options: SessionEncoderOptions;
  readonly #abort = new AbortController();
  readonly #openedMs: number;
  readonly #facts: SourceFacts;
  readonly #decoding = new DecodingLimit();
  readonly #meter: SignalMeter;
  readonly #encoder: SegmentEncoder;
  readonly #pictures: PictureTrack;
  readonly #sound: SoundTrack;
  readonly #grid: PictureGrid;
  readonly #frameMs: number;
  readonly #checking: NodeJS.Timeout;
  /** Tags that are ahead of their time. */
  #waiting: ContributedTag[] = [];
  #waitingBytes = 0;
  /** Sound before the first keyframe. */
  #earlySound: ContributedTag[] = [];
  #retiming: Retiming | null = null;
  #startedAtMs: number | null = null;
  #videoCodec: string | null = null;
  #audioCodec: string | null = null;
  /** Undefined until it is read. */
  #size: { readonly width: number; readonly height: number } | null | undefined;
  #isOver = false;

  constructor(options: SessionEncoderOptions) {
    this.#options = options;
    const { tools, format, encoder, steadyClock, log } = options;
    const profile = profileOf(format);
    this.#openedMs = steadyClock();
    this.#frameMs = 1000 / profile.framesPerSecond;
    this.#grid = new PictureGrid(profile.framesPerSecond);
    this.#meter = new SignalMeter(profile);
    this.#facts = new SourceFacts((source) => this.#isOver || options.onSource(source));
    const onFailed = (error: LiveFailure) => this.#fail(error);
    const { onSegment, onPoster, targetLUFS } = options;
    const meter = this.#meter;
    const posterSize = posterSizeOf(format.aspect);
    const made = { tools, profile, encoder, posterSize, targetLUFS };
    this.#encoder = new SegmentEncoder({ ...made, meter, onSegment, onPoster, onFailed });
    const { framing } = format;
    const shared = {
      tools,
      profile,
      framing,
      encoder: this.#encoder,
      steadyClock,
      log,
      onFailed,
      signal: this.#abort.signal,
    };
    this.#pictures = new PictureTrack(shared);
    this.#sound = new SoundTrack(shared);
    this.#checking = setInterval(() => this.#check(), checkEveryMs);
  }

  get bytesWaiting(): number {
    if (this.#isOver) return 0;
    return this.#waitingBytes + this.#pictures.bytesWaiting + this.#sound.bytesWaiting;
  }

  get encodedSeconds(): number {
    return (this.#encoder.picturesWritten * this.#frameMs) / 1000;
  }

  get signal(): SessionSignal {
    return this.#meter.read();
  }

  get startedAtMs(): number | null {
    return this.#startedAtMs;
  }

  receive(tag: ContributedTag): void {
    if (this.#isOver) return;
    if (tag.body.length > mostTagBytes)
      return this.#fail(new LiveFailure('too_large', `a tag of ${tag.body.length} bytes`));
    if (this.bytesWaiting + tag.body.length > mostBytesWaiting)
      return this.#fail(new LiveFailure('too_large', `${this.bytesWaiting} bytes wait`));
    this.#facts.received(tag.body.length, this.#options.steadyClock());
    this.#waiting.push(tag);
    this.#waitingBytes += tag.body.length + tagBytes;
    if (this.#waiting.length === 1) this.#admit();
  }

  async end(): Promise<void> {
    if (this.#isOver) return;
    clearInterval(this.#checking);
    const giveUp = setTimeout(() => this.close(), endWithinMs);
    this.#admit(Infinity);
    await Promise.all([this.#pictures.end(), this.#sound.end()]);
    if (!this.#isOver) await this.#encoder.finish();
    clearTimeout(giveUp);
    this.close();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#checking);
    this.#waiting = [];
    this.#earlySound = [];
    this.#abort.abort();
    void this.#encoder.close();
  }

  #fail(error: LiveFailure): void {
    if (this.#isOver) return;
    this.close();
    this.#options.log('live_session_failed', { reason: error.reason, fault: error.fault, error });
    this.#options.onFailed(error);
  }

  /** Passes on the tags that are due. */
  #admit(mostAhead = mostAheadMs): void {
    const tags = this.#waiting;
    let count = 0;
    while (count < tags.length && !this.#isOver && this.#pass(tags[count]!, mostAhead)) {
      this.#waitingBytes -= tags[count]!.body.length + tagBytes;
      count += 1;
    }
    if (!this.#isOver) tags.splice(0, count);
  }

  /** @returns false if the tag has to wait */
  #pass(tag: ContributedTag, mostAhead: number): boolean {
    return tag.type === 'video' ? this.#passPicture(tag, mostAhead) : this.#passSound(tag, mostAhead);
  }

  #passPicture(tag: ContributedTag, mostAhead: number): boolean {
    const picture = pictureTagOf(tag.body);
    if (!picture || picture.content === 'other' || Math.abs(picture.compositionMs) > mostCompositionMs) return true;
    if (!this.#keepsCodec(picture)) return true;
    if (picture.content === 'sequence header') {
      if (!this.#pictures.takeHeader(tag.body))
        this.#fail(new LiveFailure('format_changed', 'another header of pictures'));
      return true;
    }
    if (!this.#retiming) this.#begin(tag, picture);
    const decodeMs = this.#due(tag, mostAhead);
    if (decodeMs === 'later') return false;
    if (decodeMs === null) return true;
    this.#facts.picture(tag.timestampMs, picture);
    if (!this.#mayDecode()) return true;
    const displayMs = this.#grid.snapped(decodeMs + picture.compositionMs);
    this.#pictures.take(displayMs - picture.compositionMs, tag.body, displayMs, picture.isKeyframe);
    return true;
  }

  /** Counts a picture, and ends the session if it has too many pixels. Until their size is known, none are counted. */
  #mayDecode(): boolean {
    const { width, height } = this.#size ?? { width: 0, height: 0 };
    if (!this.#decoding.exceededBy(width * height, this.#options.steadyClock())) return true;
    this.#fail(new LiveFailure('too_many_pixels', `too many pictures of ${width} × ${height} a second`));
    return false;
  }

  #passSound(tag: ContributedTag, mostAhead: number): boolean {
    const sound = soundTagOf(tag.body);
    if (!sound) return true;
    if (sound.codec === null) {
      this.#fail(new LiveFailure('unsupported_codec', `sound of codec ${tag.body[0]! >> 4}`));
      return true;
    }
    this.#sound.takeCodec(sound.codec);
    if (this.#audioCodec !== sound.codec) {
      this.#audioCodec = sound.codec;
      this.#state();
    }
    if (sound.isSequenceHeader) this.#sound.takeHeader(tag.body);
    else if (this.#retiming) {
      const sessionMs = this.#due(tag, mostAhead);
      if (sessionMs === 'later') return false;
      if (sessionMs !== null && sessionMs >= 0) this.#sound.take(sessionMs, tag.body);
    } else this.#keepEarly(tag);
    return true;
  }

  #keepEarly(tag: ContributedTag): void {
    this.#earlySound.push(tag);
    const bytes = this.#earlySound.reduce((sum, { body }) => sum + body.length, 0);
    if (this.#earlySound.length > keptSoundTags || bytes > keptSoundBytes) this.#earlySound.shift();
  }

  #keepsCodec({ codec }: PictureTag): boolean {
    if (codec === null) this.#fail(new LiveFailure('unsupported_codec', 'pictures of an unknown codec'));
    else if (this.#videoCodec !== null && codec !== this.#videoCodec)
      this.#fail(new LiveFailure('format_changed', `${this.#videoCodec} became ${codec}`));
    else this.#videoCodec = codec;
    return !this.#isOver;
  }

  /** Begins the session's time with the first keyframe. */
  #begin(tag: ContributedTag, { isKeyframe, compositionMs }: PictureTag): void {
    const { header } = this.#pictures;
    if (!isKeyframe || !header) return;
    const arrivalMs = this.#options.steadyClock();
    this.#startedAtMs = arrivalMs;
    this.#retiming = new Retiming({ timestampMs: tag.timestampMs + compositionMs, arrivalMs });
    this.#pictures.begin(arrivalMs);
    this.#sound.begin(arrivalMs);
    for (const early of this.#earlySound)
      if (early.timestampMs > tag.timestampMs + compositionMs - this.#frameMs) this.#passSound(early, Infinity);
    this.#earlySound = [];
    void readPictureSize(this.#options.tools, [header, tag.body], this.#abort.signal).then((size) => {
      this.#size = size;
      this.#state();
    });
  }

  /** The session time of a tag; 'later' if it is ahead of its time, null before the first keyframe. */
  #due(tag: ContributedTag, mostAhead: number): number | 'later' | null {
    if (!this.#retiming) return null;
    const nowMs = this.#options.steadyClock();
    if (this.#retiming.peekMs(tag.type, tag.timestampMs, nowMs) - this.#retiming.sinceStartMs(nowMs) > mostAhead)
      return 'later';
    const sessionMs = this.#retiming.sessionMs(tag.type, tag.timestampMs, nowMs);
    this.#retiming.observe(sessionMs, nowMs);
    return sessionMs;
  }

  #state(): void {
    if (this.#size === undefined || this.#videoCodec === null) return;
    const { width = null, height = null } = this.#size ?? {};
    this.#facts.state({ videoCodec: this.#videoCodec, audioCodec: this.#audioCodec, width, height });
  }

  #check(): void {
    const nowMs = this.#options.steadyClock();
    this.#admit();
    if (this.#isOver) return;
    if (!this.#retiming) {
      if (nowMs - this.#openedMs > keyframeWithinMs)
        this.#fail(new LiveFailure('no_keyframe', 'no keyframe with a header arrived'));
      return;
    }
    const expectedMs = this.#retiming.expectedMs(nowMs);
    this.#pictures.check(nowMs, expectedMs);
    if (this.#isOver) return;
    this.#sound.check(nowMs);
    const behindMs = expectedMs - this.#encoder.picturesWritten * this.#frameMs;
    if (behindMs <= mostBehindMs) return;
    const part = this.#encoder.isBehind ? 'encoder' : 'decoder';
    this.#fail(new LiveFailure('overloaded', `the ${part} is ${Math.round(behindMs)} ms behind`));
  }
}
