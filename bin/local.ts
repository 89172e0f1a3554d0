// `npm start`: runs the whole platform on this machine, with the same handlers and publisher as in AWS.
import { setFlagsFromString } from 'node:v8';
import { readOptions } from './local/options.ts';

const options = readOptions(process.argv.slice(2));
if ('text' in options) {
  console.log(options.text);
  process.exit(options.exitCode);
}

// By default V8 collects all garbage whenever the heap has grown by a tenth: twice a second under load, and requests
// wait meanwhile. With this flag the heap may double, from 60 MB.
setFlagsFromString('--heap-growing-percent=100');

// The platform takes a while to load, and --help does not wait for it.
const { runPlatform } = await import('./local/run-platform.ts');
process.exitCode = await runPlatform(options);
