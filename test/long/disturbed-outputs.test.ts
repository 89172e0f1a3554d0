// A minute of the soak of outputs: of thirty outputs of one stream, ten fail in turn, and the others lose nothing.
import { expect, it } from 'vitest';
import { troubles } from '../soak/changing-destination.ts';
import { disturbOutputs } from '../soak/disturbed-outputs.ts';

it(
  'twenty outputs lose no frame by ten that are stalled, reset, silent and hostile',
  { timeout: 480_000 },
  async () => {
    const { well, leastPictures, ends, disturbed } = await disturbOutputs(1);
    expect(Object.values(well)).toEqual(Array.from({ length: 20 }, () => ({ lostFrames: 0, reconnects: 0 })));
    // No output waited for the others: most of the minute has arrived, even on a busy machine.
    expect(leastPictures).toBeGreaterThan(30 * 30);
    expect(Object.keys(ends)).toEqual(expect.arrayContaining(['stalled', 'connection_lost', 'protocol_violated']));
    expect(disturbed).toEqual(disturbed.map(() => ({ troubles: troubles.length, isBack: true })));
  },
);
