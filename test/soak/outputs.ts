// `npm run soak:outputs -- --minutes N`: one stream to thirty outputs; ten of them fail in turn.
// It prints the effects on the other twenty, and fails if they were affected.
import { parseArgs } from 'node:util';
import { disturbOutputs } from './disturbed-outputs.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
console.log(`30 outputs of one stream for ${minutes} minutes; 10 are stalled, reset, silent and hostile in turn`);
const { well, leastPictures, ends, disturbed } = await disturbOutputs(minutes);
const sum = (name: 'lostFrames' | 'reconnects') => Object.values(well).reduce((total, each) => total + each[name], 0);
console.log(`connections of the 10 ended: ${JSON.stringify(ends)}`);
const back = disturbed.filter(({ isBack }) => isBack).length;
const checks = [
  [`the other 20 lost ${sum('lostFrames')} frames of at least ${leastPictures} each`, sum('lostFrames') === 0],
  [`they lost ${sum('reconnects')} connections`, sum('reconnects') === 0],
  [`of the 10, ${back} have pictures again`, back === disturbed.length],
] as const;
for (const [what, isFine] of checks) console.log(`${isFine ? 'ok    ' : 'FAILED'} ${what}`);
if (checks.some(([, isFine]) => !isFine)) process.exitCode = 1;
