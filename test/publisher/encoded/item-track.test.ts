// A track plays its timeline frame by frame, whatever faults the media of its items have. The media are fakes.
import { describe, expect, it } from 'vitest';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { ToolError } from '../../../lambda/publisher/ffmpeg/media-tool.ts';
import { ItemTrack } from '../../../lambda/publisher/encoded/item-track.ts';
import type { ItemMedia } from '../../../lambda/publisher/encoded/item-track.ts';
import { MediaError } from '../../../lambda/publisher/media/media-error.ts';

const framesPerSecond = 10;

function item(name: string, durationSeconds: number): TimelineItem {
  return {
    itemID: `item_${name}`,
    uploadID: name,
    name,
    objectKey: `uploads/${name}`,
    kind: 'video',
    durationSeconds,
    hasAudio: true,
  };
}

function entry(number: number, offsetSeconds: number, items: readonly TimelineItem[]): TimelineEntry {
  return { number, offsetSeconds, playlistID: null, snapshot: { mode: 'sequential', seed: 1, items } };
}

interface FakeMedia extends ItemMedia {
  readonly isOpen: boolean;
  /** Resolves with the item's name and the frame within it, as in `a:30`. */
  read(): Promise<string>;
}

interface Faults {
  /** The error of opening an item; null: none. @param opened number of items that were opened before */
  readonly openFailure?: (name: string, opened: number) => Error | null;
  /** The error of reading a frame such as `a:30`; null: none. @param reads number of earlier reads */
  readonly readFailure?: (frame: string, reads: number) => Error | null;
  /** Delays the opening of an item. */
  readonly opening?: () => Promise<void>;
}

/** A track of fake media that count their frames. */
function trackOf(timeline: () => readonly TimelineEntry[], faults: Faults = {}, startFrame = 0) {
  const opened: string[] = [];
  const media: FakeMedia[] = [];
  const logged: string[] = [];
  const reads = new Map<string, number>();
  const track = new ItemTrack<FakeMedia>(
    {
      framesPerSecond,
      loadTimeline: async () => timeline(),
      log: (event) => void logged.push(event),
      open: async ({ item: { uploadID } }, { first, end }) => {
        const failure = faults.openFailure?.(uploadID, opened.length) ?? null;
        opened.push(`${uploadID} ${first}+${end - first}`);
        await faults.opening?.();
        const ready = failure ? Promise.reject(failure) : Promise.resolve();
        ready.catch(() => {});
        let isOpen = true;
        let next = first;
        const fake: FakeMedia = {
          ready,
          get isOpen() {
            return isOpen;
          },
          read: async () => {
            if (!isOpen) throw new ToolError('killed');
            const frame = `${uploadID}:${next}`;
            if (next === end) throw new Error(`${frame} is behind the end`);
            const times = reads.get(frame) ?? 0;
            reads.set(frame, times + 1);
            const fault = faults.readFailure?.(frame, times);
            if (fault) throw fault;
            next++;
            return frame;
          },
          close: async () => {
            isOpen = false;
          },
        };
        media.push(fake);
        return fake;
      },
    },
    startFrame,
  );
  return {
    track,
    opened,
    logged,
    openCount: () => media.filter(({ isOpen }) => isOpen).length,
    /** Plays the next frames, and expects each to follow the one before it. */
    play: async (count: number): Promise<string[]> => {
      const played: string[] = [];
      let last: number | null = null;
      for (let index = 0; index < count; index++) {
        const { frame, result } = await track.step((open) => open.read());
        if (last !== null) expect(frame).toBe(last + 1);
        last = frame;
        played.push(result);
      }
      return played;
    },
  };
}

function frames(name: string, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `${name}:${from + index}`);
}

const damaged = new MediaError('damaged', 'Nothing in this file can be decoded.');
const killed = new ToolError('ffmpeg ended with SIGKILL');

describe('items that can be played', () => {
  const loop = [entry(0, 0, [item('a', 3), item('b', 1), item('c', 2.5)])];
  const lap = [...frames('a', 0, 30), ...frames('b', 0, 10), ...frames('c', 0, 25)];

  it('play in order over a thousand laps, and at most two are open at a time', async () => {
    const { play, opened, openCount } = trackOf(() => loop);
    for (let laps = 0; laps < 1000; laps++) {
      expect(await play(lap.length)).toEqual(lap);
      expect(openCount()).toBeLessThanOrEqual(2);
    }
    expect(opened.slice(0, 6)).toEqual(['a 0+30', 'b 0+10', 'c 0+25', 'a 0+30', 'b 0+10', 'c 0+25']);
    expect(opened.length).toBeLessThanOrEqual(3001);
  });

  it('are opened 2.5 s before they begin, and closed when the next one has begun', async () => {
    const { play, opened, openCount } = trackOf(() => [entry(0, 0, [item('a', 10), item('b', 10)])]);
    await play(75);
    expect([opened.length, openCount()]).toEqual([1, 1]);
    await play(1);
    expect([opened.length, openCount()]).toEqual([2, 2]);
    await play(24);
    expect(openCount()).toBe(2);
    await play(1);
    expect([opened.length, openCount()]).toEqual([2, 1]);
  });

  it('begin in their middle when the run goes on there', async () => {
    const { play, opened } = trackOf(() => loop, {}, 65 * 7 + 35);
    expect(await play(6)).toEqual([...frames('b', 5, 10), 'c:0']);
    expect(opened[0]).toBe('b 5+5');
  });

  it('of a changed timeline take over exactly at its boundary, in the middle of a lap', async () => {
    let timeline = loop;
    const { play } = trackOf(() => timeline);
    await play(20);
    timeline = [...loop, entry(1, 6.5 + 4, [item('new', 2)])];
    expect(await play(10 + 35 + 40 + 20 + 1)).toEqual([
      ...lap.slice(20),
      ...lap.slice(0, 40),
      ...frames('new', 0, 20),
      'new:0',
    ]);
  });
});

describe('a timeline that changes while an item plays', () => {
  const [a, b] = [item('a', 10), item('b', 10)];
  const crossfade = { kind: 'crossfade', seconds: 1 } as const;

  it('ends it sooner, to the frame, as after a skip', async () => {
    let timeline = [entry(0, 0, [a])];
    const { play, opened } = trackOf(() => timeline);
    await play(20);
    timeline = [...timeline, entry(1, 6.3, [b])];
    expect(await play(80)).toEqual([...frames('a', 20, 63), ...frames('b', 0, 37)]);
    expect(opened).toEqual(['a 0+100', 'b 0+100']);
  });

  it('ends it later by a cut in place of a crossfade', async () => {
    let timeline = [entry(0, 0, [{ ...a, join: crossfade }, b])];
    const { play } = trackOf(() => timeline);
    await play(20);
    timeline = [...timeline, entry(1, 0, [a]), entry(2, 10, [b])];
    expect(await play(100)).toEqual([...frames('a', 20, 100), ...frames('b', 0, 20)]);
  });

  it('opens it again for its rest if that is joined otherwise', async () => {
    let timeline = [entry(0, 0, [{ ...a, join: { kind: 'dip', seconds: 1 } as const }, b])];
    const { play, opened } = trackOf(() => timeline);
    await play(20);
    timeline = [...timeline, entry(1, 0, [a]), entry(2, 10, [b])];
    expect(await play(100)).toEqual([...frames('a', 20, 100), ...frames('b', 0, 20)]);
    expect(opened[1]).toMatch(/^a (45|55)\+/);
  });
});

describe('an item that cannot be played', () => {
  it('is replaced for exactly its frames by the next that can be played, in every lap', async () => {
    const timeline = [entry(0, 0, [item('a', 2), item('bad', 3), item('worse', 1), item('d', 1)])];
    const { play, opened, logged } = trackOf(() => timeline, {
      openFailure: (name) => (name === 'bad' || name === 'worse' ? damaged : null),
    });
    const lap = [...frames('a', 0, 20), ...frames('d', 0, 30), ...frames('d', 0, 10), ...frames('d', 0, 10)];
    expect(await play(140)).toEqual([...lap, ...lap]);
    expect(opened.slice(0, 4)).toEqual(['a 0+20', 'bad 0+30', 'worse 0+30', 'd 0+30']);
    expect(logged.slice(0, 2)).toEqual(['item_not_playable', 'item_not_playable']);
  });

  it('is closed again, and at the end of a lap its time is given to the first item', async () => {
    const { play, openCount } = trackOf(() => [entry(0, 0, [item('a', 5), item('bad', 5)])], {
      openFailure: (name) => (name === 'bad' ? damaged : null),
    });
    expect(await play(51)).toEqual([...frames('a', 0, 50), 'a:0']);
    expect(openCount()).toBe(1);
  });

  it('ends the track with its MediaError when no other can be played either, and nothing stays open', async () => {
    const { play, openCount, opened } = trackOf(() => [entry(0, 0, [item('a', 1), item('b', 1)])], {
      openFailure: () => damaged,
    });
    await expect(play(1)).rejects.toBe(damaged);
    expect(opened).toEqual(['a 0+10', 'b 0+10']);
    expect(openCount()).toBe(0);
  });

  it('plays again as soon as it can be opened', async () => {
    const { play } = trackOf(() => [entry(0, 0, [item('a', 3), item('b', 3)])], {
      openFailure: (name, opened) => (name === 'b' && opened < 4 ? damaged : null),
    });
    expect(await play(120)).toEqual([
      ...frames('a', 0, 30),
      ...frames('a', 0, 30),
      ...frames('a', 0, 30),
      ...frames('b', 0, 30),
    ]);
  });
});

describe('a tool that fails', () => {
  it.each([12, 40, 49])(
    'at frame %i is started again for that frame, whether the next item is open or not',
    async (failing) => {
      const { play, openCount, opened } = trackOf(() => [entry(0, 0, [item('a', 5), item('b', 5)])], {
        readFailure: (frame, reads) => (frame === `a:${failing}` && reads === 0 ? killed : null),
      });
      expect(await play(100)).toEqual([...frames('a', 0, 50), ...frames('b', 0, 50)]);
      expect(opened).toContain(`a ${failing}+${50 - failing}`);
      expect(openCount()).toBe(2);
    },
  );

  it('while it opens the next item ahead costs no frame', async () => {
    const { play } = trackOf(() => [entry(0, 0, [item('a', 5), item('b', 5)])], {
      openFailure: (name, opened) => (name === 'b' && opened === 1 ? killed : null),
    });
    expect(await play(100)).toEqual([...frames('a', 0, 50), ...frames('b', 0, 50)]);
  });

  it('may fail three times at one frame; a fourth failure ends the track, and nothing stays open', async () => {
    const failing = (times: number) =>
      trackOf(() => [entry(0, 0, [item('a', 5), item('b', 5)])], {
        readFailure: (frame, reads) => (frame === 'a:30' && reads < times ? killed : null),
      });
    expect(await failing(3).play(100)).toHaveLength(100);
    const { play, track, openCount } = failing(4);
    await expect(play(100)).rejects.toBe(killed);
    await track.close();
    expect(openCount()).toBe(0);
  });
});

describe('a track that is closed', () => {
  it('has nothing open, neither the item that plays nor the next one', async () => {
    const { track, play, openCount } = trackOf(() => [entry(0, 0, [item('a', 5), item('b', 5)])]);
    await play(45);
    expect(openCount()).toBe(2);
    await track.close();
    expect(openCount()).toBe(0);
  });

  it.each([
    [0, 'the first item'],
    [50, 'the item after a join'],
  ])('while frame %i waits for %s to open closes that item too, and the reader gets an error', async (played) => {
    let gate: Promise<void> | null = null;
    const release = Promise.withResolvers<void>();
    const { track, play, openCount } = trackOf(() => [entry(0, 0, [item('a', 5), item('b', 5)])], {
      opening: async () => gate ?? undefined,
    });
    if (played > 0) await play(25);
    gate = release.promise;
    if (played > 0) await play(25);
    const reading = play(1);
    const closing = track.close();
    release.resolve();
    await expect(reading).rejects.toThrow('the track is closed');
    await closing;
    expect(openCount()).toBe(0);
  });

  it('opens nothing anew when a read fails because the track was closed', async () => {
    const waiting = Promise.withResolvers<string>();
    const { track, play, opened, logged } = trackOf(() => [entry(0, 0, [item('a', 5)])]);
    await play(1);
    const reading = track.step(() => waiting.promise);
    const closing = track.close();
    waiting.reject(killed);
    await expect(reading).rejects.toBe(killed);
    await closing;
    expect(opened).toEqual(['a 0+50']);
    expect(logged).toEqual([]);
  });
});
