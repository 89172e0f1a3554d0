// Slates in time: the frames that show one, after a loss only, and up to the loop, the next session or a hand-back.
import { describe, expect, it } from 'vitest';
import { shownSlates, slateAt, slateFault, slateFormat } from '../../../lambda/domain/live/slate.ts';
import type { TakeoverInterval } from '../../../lambda/domain/live/takeover-intervals.ts';
import { returnFrame, slateEnd } from '../../../lambda/domain/live/takeover-plan.ts';
import { formatName, formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { item, timelineOf } from '../../publisher/prepared/prepared-clips.ts';

const run = { timeline: timelineOf(item('loop', 7)), framesPerSecond: 30 };
const lost = (fromFrame: number, toFrame: number | null, slateTo: number | null): TakeoverInterval => ({
  sessionID: 'ses',
  fromFrame,
  toFrame,
  firstSegment: 0,
  slate: { uploadID: 'upl', seconds: 10, toFrame: slateTo },
});

describe('a slate', () => {
  it('follows the last picture of a lost session, wherever the loop has its keyframes', () => {
    const shown = lost(240, null, null);
    expect(returnFrame(run, shown, 3)).toBe(240 + 180);
    // 420 is a keyframe of the loop only by chance, so another beginning shows the difference.
    const odd = lost(270, null, null);
    expect(returnFrame(run, odd, 3)).toBe(450);
    expect(returnFrame(run, { fromFrame: 270, firstSegment: 0 }, 3)).toBe(420);
  });

  it('lasts for its seconds, and up to the next keyframe of the loop', () => {
    // Items begin at 0, 210, 420, 630 and 840, and have keyframes every 60 frames from there.
    expect(slateEnd(run, lost(270, null, null), 450)).toBe(750);
    expect(slateEnd(run, lost(270, null, null), 451)).toBe(810);
  });

  it('does not follow a session that was lost before it was shown, or that has none', () => {
    expect(slateEnd(run, lost(270, null, null), 270)).toBeNull();
    expect(slateEnd(run, { fromFrame: 270 }, 450)).toBeNull();
  });

  it('is shown between its session and its end', () => {
    const intervals = [lost(240, 420, 720)];
    expect([239, 419, 720].map((frame) => slateAt(intervals, frame))).toEqual([null, null, null]);
    for (const frame of [420, 719])
      expect(slateAt(intervals, frame)).toEqual({ uploadID: 'upl', fromFrame: 420, toFrame: 720 });
    expect(slateAt([lost(240, 420, null)], 430)).toBeNull();
  });

  it('ends when the next session begins, and outlasts one that is lost before it is shown', () => {
    expect(slateAt([lost(240, 420, 720), lost(600, null, null)], 650)).toBeNull();
    expect(shownSlates([lost(240, 420, 720), lost(600, null, null)])).toEqual([
      { uploadID: 'upl', fromFrame: 420, toFrame: 600 },
    ]);
    const again = [lost(240, 420, 720), lost(600, 600, null)];
    expect(slateAt(again, 650)).toEqual({ uploadID: 'upl', fromFrame: 420, toFrame: 720 });
    expect(shownSlates(again)).toEqual([{ uploadID: 'upl', fromFrame: 420, toFrame: 720 }]);
  });

  it('has a format of its own, without the look of its stream', () => {
    const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264', aspect: '9:16' } as const;
    const named = formatName(slateFormat({ ...format, framing: 'blur' }));
    expect(named).toBe('q_720p-f_30-9x16-inorder');
    expect(formatNamed(named)).toEqual({ ...format, inOrder: true });
  });

  it('can be shown once it is prepared, on streams in H.264', () => {
    const faults = (['ready', 'preparing', 'failed', null] as const).map((state) =>
      slateFault(state, { videoCodec: 'h264' }),
    );
    expect(faults).toEqual([null, 'preparing', 'failed', 'preparing']);
    expect(slateFault('ready', { videoCodec: 'hevc' })).toBe('codec');
  });
});
