// `npm start`: the whole platform on this machine, with the handlers, the queue messages and the publisher that AWS runs.
import { readOptions } from './local/options.ts';

const options = readOptions(process.argv.slice(2));
if ('text' in options) {
  console.log(options.text);
  process.exit(options.exitCode);
}

// Loaded only now: --help does not wait for it.
const { runPlatform } = await import('./local/run-platform.ts');
process.exitCode = await runPlatform(options);
