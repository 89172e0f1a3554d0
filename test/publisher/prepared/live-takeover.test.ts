// A contributor's session takes a stream over and leaves it again: no picture and no frame of sound is missing.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveSegmentKey } from '../../../lambda/domain/media/object-keys.ts';
import { intervalAt, sessionStartFrame } from '../../../lambda/domain/live/takeover-intervals.ts';
import type { TakeoverInterval } from '../../../lambda/domain/live/takeover-intervals.ts';
import { keyframeFrom, returnFrame } from '../../../lambda/domain/live/takeover-plan.ts';
import { occurrenceAt } from '../../../lambda/domain/playout/play-out.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, frameTimes } from './checking-ingest.ts';
import { format, item, mediaOptions, play, timelineOf } from './prepared-clips.ts';
import { labelOffset, objectsOf, syntheticSegments, syntheticSession, syntheticSongs } from './synthetic-renditions.ts';

const rate = 30;
const gopFrames = 60;
const sessionNumber = 200;
const songNumber = 100;
const sessionID = 'ses_1';

interface Scene {
  readonly lengths: readonly number[];
  /** The earliest frame of the takeover. */
  readonly earliest: number;
  readonly firstSegment: number;
  /** Segments that are stored, more than the first one. */
  readonly segments: number;
  /** The earliest frame of a hand-back; null: the contributor is lost. */
  readonly handBack: number | null;
}

const anyScene: fc.Arbitrary<Scene> = fc.record({
  lengths: fc.array(fc.integer({ min: 35, max: 400 }), { minLength: 1, maxLength: 3 }),
  earliest: fc.integer({ min: 0, max: 300 }),
  firstSegment: fc.integer({ min: 0, max: 3 }),
  segments: fc.integer({ min: 2, max: 4 }),
  handBack: fc.option(fc.integer({ min: 0, max: 100 })),
});

function stage({ lengths, earliest, firstSegment, segments, handBack }: Scene) {
  const items = lengths.map((frames, index) => item(`clip${index}`, frames / rate));
  const entries = timelineOf(...items);
  const fromFrame = keyframeFrom(entries, earliest, rate);
  const stored = firstSegment + segments;
  const lostFrame = returnFrame({ timeline: entries, framesPerSecond: rate }, { fromFrame, firstSegment }, stored);
  const asked = handBack === null ? Infinity : keyframeFrom(entries, fromFrame + handBack, rate);
  const leaveFrame = Math.min(lostFrame, asked);
  const interval: TakeoverInterval = {
    sessionID,
    fromFrame,
    firstSegment,
    toFrame: asked <= lostFrame ? asked : null,
  };
  const segmentsOf = new Map([
    ...syntheticSegments(items, format),
    ...syntheticSession(sessionID, sessionNumber, format, stored),
  ]);
  return { items, entries, interval, leaveFrame, segmentsOf };
}

function storeOf(segments: ReadonlyMap<string, Buffer>): SegmentStore {
  return new SegmentStore({ objects: objectsOf(segments), maxCachedBytes: 1024 * 1024 });
}

/** The labels of received frames: the item or session, and the frame within it. */
function labelsOf(ingest: CheckingIngest, kind: 'video' | 'audio'): string[] {
  const frames = ingest[kind].filter(({ payload }) => payload[1] === 1);
  return frames.map(({ payload }) => `${payload[labelOffset[kind]]} ${payload.readUInt16BE(labelOffset[kind] + 1)}`);
}

/** The labels of the pictures that a run has to show from a frame on. */
function wantedPictures(
  { items, entries, interval, leaveFrame }: ReturnType<typeof stage>,
  from: number,
  count: number,
) {
  return Array.from({ length: count }, (_, index) => {
    const frame = from + index;
    if (intervalAt([{ ...interval, toFrame: leaveFrame }], frame))
      return `${sessionNumber} ${frame - sessionStartFrame(interval, gopFrames)}`;
    const { item: played, startFrame } = occurrenceAt(entries, frame, rate);
    return `${items.indexOf(played)} ${frame - startFrame}`;
  });
}

function expectNoHole(ingest: CheckingIngest): void {
  expect(steps(frameTimes(ingest.video)).filter((step) => step < 32 || step > 35)).toEqual([]);
  expect(steps(frameTimes(ingest.audio)).filter((step) => step < 20 || step > 23)).toEqual([]);
}

const seconds = 22;

describe('a takeover', () => {
  it('shows each picture of the timeline and of the session at its frame, whatever their lengths', async () => {
    await fc.assert(
      fc.asyncProperty(anyScene, async (scene) => {
        const it = stage(scene);
        const ingest = new CheckingIngest();
        const options = mediaOptions(storeOf(it.segmentsOf), () => ({ video: it.entries, takeovers: [it.interval] }));
        await play(options, ingest, { seconds });
        const shown = labelsOf(ingest, 'video');
        expect(shown).toEqual(wantedPictures(it, 0, shown.length));
        expect(shown.length).toBeGreaterThan(20 * rate);
        expectNoHole(ingest);
        expect(options.unreadable).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('has the sound of the session in place of the sound track', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyScene,
        fc.array(fc.integer({ min: 40, max: 300 }), { minLength: 1, maxLength: 2 }),
        async (scene, songs) => {
          const it = stage(scene);
          const tracks = songs.map((frames, index) => item(`song${index}`, frames / rate, { kind: 'audio' }));
          const store = storeOf(new Map([...it.segmentsOf, ...syntheticSongs(tracks, songNumber)]));
          const audio = timelineOf(...tracks);
          const options = mediaOptions(store, () => ({ video: it.entries, audio, takeovers: [it.interval] }));
          const ingest = new CheckingIngest();
          await play(options, ingest, { seconds });
          expectNoHole(ingest);
          const heard = labelsOf(ingest, 'audio').map((label) => Number(label.split(' ')[0]));
          const first = Math.round((it.interval.fromFrame * 100) / 64);
          const end = Math.round((it.leaveFrame * 100) / 64);
          expect(new Set(heard.slice(first, end))).toEqual(new Set(first < end ? [sessionNumber] : []));
          expect([...heard.slice(0, first), ...heard.slice(end)].filter((number) => number === sessionNumber)).toEqual(
            [],
          );
        },
      ),
      {
        numRuns: 30,
        // An interval of one frame, whose sound begins and ends with the same frame of sound.
        examples: [[{ lengths: [62, 104, 121], earliest: 227, firstSegment: 0, segments: 2, handBack: 1 }, [40]]],
      },
    );
  });

  it('is sent with the same bytes by an agent that begins within it', async () => {
    await fc.assert(
      fc.asyncProperty(anyScene, fc.integer({ min: 0, max: 500 }), async (scene, startFrame) => {
        const it = stage(scene);
        const options = () =>
          mediaOptions(storeOf(it.segmentsOf), () => ({ video: it.entries, takeovers: [it.interval] }));
        const later = new CheckingIngest();
        await play(options(), later, { startFrame, seconds: 6 });
        const shown = labelsOf(later, 'video');
        const from = startFrame - (startFrame - firstShown(it, startFrame));
        expect(shown).toEqual(wantedPictures(it, from, shown.length));
        expectNoHole(later);
      }),
      { numRuns: 40 },
    );
  });

  it('begins as planned if it becomes known within an item, and at the next segment if it is known late', async () => {
    for (const knownAtFrame of [30, 150]) {
      const it = stage({ lengths: [900], earliest: 120, firstSegment: 1, segments: 6, handBack: null });
      const ingest = new CheckingIngest();
      const sent = () => frameTimes(ingest.video).length;
      const options = mediaOptions(storeOf(it.segmentsOf), () => ({
        video: it.entries,
        takeovers: sent() >= knownAtFrame ? [it.interval] : [],
      }));
      await play(options, ingest, { seconds: 10 });
      const shown = labelsOf(ingest, 'video');
      const from = shown.findIndex((label) => label.startsWith(`${sessionNumber} `));
      expect((from - 120) % gopFrames).toBe(0);
      expect(from).toBe(knownAtFrame === 30 ? 120 : from);
      expect(shown.slice(from, from + 100)).toEqual(wantedPictures(it, from, 100));
      expectNoHole(ingest);
    }
  });

  it('does not begin if its session is not there in time', async () => {
    const it = stage({ lengths: [900], earliest: 120, firstSegment: 0, segments: 2, handBack: null });
    for (const key of [0, 1].map((segment) => liveSegmentKey(sessionID, 'pictures', segment)))
      it.segmentsOf.delete(key);
    const ingest = new CheckingIngest();
    const options = mediaOptions(storeOf(it.segmentsOf), () => ({ video: it.entries, takeovers: [it.interval] }));
    await play(options, ingest, { seconds: 10 });
    expect(labelsOf(ingest, 'video')).toEqual(
      wantedPictures({ ...it, leaveFrame: it.interval.fromFrame }, 0, labelsOf(ingest, 'video').length),
    );
    expect(options.logged).toContain('live_session_left');
    expectNoHole(ingest);
  });
});

/** The first frame that a connection shows which begins at a frame: a keyframe of the session or of the item. */
function firstShown({ entries, interval, leaveFrame }: ReturnType<typeof stage>, frame: number): number {
  const inside = intervalAt([{ ...interval, toFrame: leaveFrame }], frame);
  const origin = inside ? sessionStartFrame(inside, gopFrames) : occurrenceAt(entries, frame, rate).startFrame;
  return origin + Math.floor((frame - origin) / gopFrames) * gopFrames;
}
