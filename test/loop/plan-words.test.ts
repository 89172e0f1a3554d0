// The words of a plan for people: names in place of ids, and texts as they are.
import { expect, it } from 'vitest';
import { changeOf, nameOfSymbol, symbolOf } from '../../bin/loop/channel/change.ts';
import { planLines } from '../../bin/loop/channel/print-plan.ts';

it('shows texts with a percent sign, and names of things that the plan makes', () => {
  const fields = [
    { field: 'look.overlays.text', from: null, to: { text: '50 % off, %20' } },
    { field: 'videoUploadObjectID', from: '100 %', to: symbolOf('upload', 'a %.mp4') },
  ];
  const change = changeOf({ action: 'update', kind: 'stream', name: 'Night', fields });
  const lines = planLines({ changes: [change], costs: [], uploadBytes: 0 }, nameOfSymbol);
  expect(lines.slice(0, 3)).toEqual([
    '~ stream Night',
    '    look.overlays.text: {"text":"50 % off, %20"}',
    '    videoUploadObjectID: 100 % → a %.mp4',
  ]);
});
