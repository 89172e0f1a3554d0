// `npm start`: runs the whole platform on this machine, with the handlers and the publisher that run in AWS.
import { readOptions } from './local/options.ts';

const options = readOptions(process.argv.slice(2));
if ('text' in options) {
  console.log(options.text);
  process.exit(options.exitCode);
}

// The platform takes a while to load, and --help does not wait for it.
const { runPlatform } = await import('./local/run-platform.ts');
process.exitCode = await runPlatform(options);
