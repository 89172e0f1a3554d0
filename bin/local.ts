// `npm start`: runs the whole platform on this machine, with the handlers and the publisher that run in AWS.
import { setFlagsFromString } from 'node:v8';
import { readOptions } from './local/options.ts';

const options = readOptions(process.argv.slice(2));
if ('text' in options) {
  console.log(options.text);
  process.exit(options.exitCode);
}

// V8 would collect all garbage whenever the heap has grown by a tenth: twice a second when there is much to do, and
// requests wait meanwhile. So it may double, from 60 MB.
setFlagsFromString('--heap-growing-percent=100');

// The platform takes a while to load, and --help does not wait for it.
const { runPlatform } = await import('./local/run-platform.ts');
process.exitCode = await runPlatform(options);
