// Slates after lost sessions: no picture and no frame of sound is missing, on any agent.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slateAt, slateFormat } from '../../../lambda/domain/live/slate.ts';
import { intervalAt, sessionStartFrame } from '../../../lambda/domain/live/takeover-intervals.ts';
import type { TakeoverInterval } from '../../../lambda/domain/live/takeover-intervals.ts';
import { keyframeFrom, returnFrame, slateEnd } from '../../../lambda/domain/live/takeover-plan.ts';
import { occurrenceAt } from '../../../lambda/domain/playout/play-out.ts';
import { renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, frameTimes } from './checking-ingest.ts';
import { format, item, mediaOptions, play, timelineOf } from './prepared-clips.ts';
import { labelOffset, objectsOf, syntheticSegments, syntheticSession, syntheticSongs } from './synthetic-renditions.ts';

const rate = 30;
const gopFrames = 60;
const [sessionNumber, songNumber] = [200, 100];
const slateID = 'slate';

interface Scene {
  readonly lengths: readonly number[];
  /** The earliest frame of the takeover. */
  readonly earliest: number;
  readonly segments: number;
  readonly slateFrames: number;
  readonly slateSeconds: number;
  /** Frames from the loss to the next session of the contributor; null: it does not return. */
  readonly returnsAfter: number | null;
  /** Whether the database knows of the loss. Else agents notice it. */
  readonly isKnown: boolean;
}

const anyScene: fc.Arbitrary<Scene> = fc.record({
  lengths: fc.array(fc.integer({ min: 35, max: 400 }), { minLength: 1, maxLength: 3 }),
  earliest: fc.integer({ min: 0, max: 200 }),
  segments: fc.integer({ min: 2, max: 4 }),
  slateFrames: fc.integer({ min: 60, max: 200 }),
  slateSeconds: fc.integer({ min: 0, max: 7 }),
  returnsAfter: fc.option(fc.integer({ min: 0, max: 250 })),
  isKnown: fc.boolean(),
});

function stage({ lengths, earliest, segments, slateFrames, slateSeconds, returnsAfter, isKnown }: Scene) {
  const items = lengths.map((frames, index) => item(`clip${index}`, frames / rate));
  const slate = item(slateID, slateFrames / rate);
  const entries = timelineOf(...items);
  const run = { timeline: entries, framesPerSecond: rate };
  const slateWith = (toFrame: number | null) => ({ uploadID: slateID, seconds: slateSeconds, toFrame });
  const fromFrame = keyframeFrom(entries, earliest, rate);
  const begun: TakeoverInterval = {
    sessionID: 'ses_1',
    fromFrame,
    firstSegment: 0,
    toFrame: null,
    slate: slateWith(null),
  };
  const leaveFrame = returnFrame(run, begun, segments);
  const ended = { ...begun, toFrame: leaveFrame, slate: slateWith(slateEnd(run, begun, leaveFrame)) };
  const again: TakeoverInterval[] = [];
  if (returnsAfter !== null) {
    const second = { ...begun, sessionID: 'ses_2', fromFrame: keyframeFrom(entries, leaveFrame + returnsAfter, rate) };
    const leaveSecond = returnFrame(run, second, 2);
    again.push({ ...second, toFrame: leaveSecond, slate: slateWith(slateEnd(run, second, leaveSecond)) });
  }
  const segmentsOf = new Map([
    ...syntheticSegments(items, format),
    ...[...syntheticSegments([...items, slate], slateFormat(format))].filter(([key]) => key.includes(slateID)),
    ...syntheticSession('ses_1', sessionNumber, format, segments),
    ...syntheticSession('ses_2', sessionNumber, format, 2),
  ]);
  return {
    items,
    entries,
    /** As the database knows them. */
    takeovers: [isKnown ? ended : begun, ...again],
    /** As they are shown. */
    intervals: [ended, ...again],
    slates: new Map([[slateID, { item: slate, contentHash: slateID }]]),
    repeated: slateFrames - (slateFrames % gopFrames),
    segmentsOf,
  };
}

type Stage = ReturnType<typeof stage>;

function storeOf(segments: ReadonlyMap<string, Buffer>): SegmentStore {
  return new SegmentStore({ objects: objectsOf(segments), maxCachedBytes: 1024 * 1024 });
}

/** The labels of received frames: the item or session, and the frame within it. */
function labelsOf(ingest: CheckingIngest, kind: 'video' | 'audio'): string[] {
  const frames = ingest[kind].filter(({ payload }) => payload[1] === 1);
  return frames.map(({ payload }) => `${payload[labelOffset[kind]]} ${payload.readUInt16BE(labelOffset[kind] + 1)}`);
}

/** The labels of the pictures that a run has to show from a frame on. */
function wantedPictures({ items, entries, intervals, repeated }: Stage, from: number, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const frame = from + index;
    const interval = intervalAt(intervals, frame);
    if (interval) return `${sessionNumber} ${frame - sessionStartFrame(interval, gopFrames)}`;
    const slate = slateAt(intervals, frame);
    if (slate) return `${items.length} ${(frame - slate.fromFrame) % repeated}`;
    const { item: played, startFrame } = occurrenceAt(entries, frame, rate);
    return `${items.indexOf(played)} ${frame - startFrame}`;
  });
}

function expectNoHole(ingest: CheckingIngest): void {
  expect(steps(frameTimes(ingest.video)).filter((step) => step < 32 || step > 35)).toEqual([]);
  expect(steps(frameTimes(ingest.audio)).filter((step) => step < 20 || step > 23)).toEqual([]);
}

const tracksOf = ({ entries: video, takeovers, slates }: Stage) => ({ video, takeovers, slates });
const seconds = 30;

describe('a slate', () => {
  it('follows the last picture of a lost session, up to the loop or the next session', async () => {
    await fc.assert(
      fc.asyncProperty(anyScene, async (scene) => {
        const it = stage(scene);
        const ingest = new CheckingIngest();
        const options = mediaOptions(storeOf(it.segmentsOf), () => tracksOf(it));
        await play(options, ingest, { seconds });
        const shown = labelsOf(ingest, 'video');
        expect(shown).toEqual(wantedPictures(it, 0, shown.length));
        expect(shown.length).toBeGreaterThan(28 * rate);
        expectNoHole(ingest);
        expect(options.unreadable).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('is sent with the same bytes by an agent that begins within it', async () => {
    await fc.assert(
      fc.asyncProperty(anyScene, fc.integer({ min: 0, max: 600 }), async (scene, startFrame) => {
        // An agent that begins later than the loss reads it in the database.
        const it = stage({ ...scene, isKnown: true });
        const options = mediaOptions(storeOf(it.segmentsOf), () => tracksOf(it));
        const later = new CheckingIngest();
        await play(options, later, { startFrame, seconds: 6 });
        const shown = labelsOf(later, 'video');
        const whole = wantedPictures(it, 0, startFrame + shown.length);
        const from = whole.lastIndexOf(shown[0]!, startFrame);
        expect(startFrame - from).toBeLessThan(gopFrames);
        expect(shown).toEqual(wantedPictures(it, from, shown.length));
        expectNoHole(later);
      }),
      { numRuns: 40 },
    );
  });

  it('leaves the sound track of a stream under it', async () => {
    const it = stage({ ...lostScene, slateSeconds: 5 });
    const songs = [item('song', 6, { kind: 'audio' })];
    const store = storeOf(new Map([...it.segmentsOf, ...syntheticSongs(songs, songNumber)]));
    const options = mediaOptions(store, () => ({ ...tracksOf(it), audio: timelineOf(...songs) }));
    const ingest = new CheckingIngest();
    await play(options, ingest, { seconds: 16 });
    expectNoHole(ingest);
    const shown = labelsOf(ingest, 'video');
    expect(shown).toEqual(wantedPictures(it, 0, shown.length));
    const { fromFrame, toFrame } = it.intervals[0]!;
    const heard = labelsOf(ingest, 'audio').map((label) => Number(label.split(' ')[0]));
    const [first, end] = [fromFrame, toFrame!].map((frame) => Math.round((frame * 100) / 64)) as [number, number];
    expect(new Set(heard.slice(first, end))).toEqual(new Set([sessionNumber]));
    expect(new Set(heard.slice(end))).toEqual(new Set([songNumber]));
  });

  it('ends earlier if the stream is handed back', async () => {
    const it = stage({ ...lostScene, slateSeconds: 9 });
    const [interval] = it.intervals as [TakeoverInterval];
    const handBack = keyframeFrom(it.entries, interval.toFrame! + 100, rate);
    const cut = { ...interval, slate: { ...interval.slate!, toFrame: handBack } };
    const ingest = new CheckingIngest();
    const isCut = () => frameTimes(ingest.video).length > interval.toFrame! - 100;
    const options = mediaOptions(storeOf(it.segmentsOf), () => ({
      ...tracksOf(it),
      takeovers: [isCut() ? cut : interval],
    }));
    await play(options, ingest, { seconds: 20 });
    const shown = labelsOf(ingest, 'video');
    expect(shown).toEqual(wantedPictures({ ...it, intervals: [cut] }, 0, shown.length));
    expectNoHole(ingest);
  });

  it('is not shown if it is not prepared, and is left for the loop if it cannot be read', async () => {
    const it = stage({ ...lostScene, slateSeconds: 5, isKnown: false });
    const ingest = new CheckingIngest();
    await play(
      mediaOptions(storeOf(it.segmentsOf), () => ({ ...tracksOf(it), slates: new Map() })),
      ingest,
      { seconds: 16 },
    );
    const labels = labelsOf(ingest, 'video');
    expect(labels.filter((label) => label.startsWith(`${it.items.length} `))).toEqual([]);
    expectNoHole(ingest);

    it.segmentsOf.delete(segmentKey(renditionOf(slateID, it.slates.get(slateID)!.item, slateFormat(format)), 0));
    const other = new CheckingIngest();
    const options = mediaOptions(storeOf(it.segmentsOf), () => tracksOf(it));
    await play(options, other, { seconds: 16 });
    expect(options.logged).toContain('slate_left');
    const shown = labelsOf(other, 'video');
    expect(shown.at(-1)).toMatch(/^0 /);
  });
});

const lostScene: Scene = {
  lengths: [205],
  earliest: 100,
  segments: 3,
  slateFrames: 130,
  slateSeconds: 5,
  returnsAfter: null,
  isKnown: true,
};
