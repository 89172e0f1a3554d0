// `npm run recover`: moves a stage, or the local run, to a copy of another database.
// The procedure: lib/README.md, “Recover a stage”.
import { readArguments } from './recover/command-line.ts';

const read = readArguments(process.argv.slice(2));
if ('text' in read) {
  (read.exitCode === 0 ? console.log : console.error)(read.text);
  process.exit(read.exitCode);
}

try {
  // Both take a while to load, and --help does not wait for them.
  if (read.stage === 'local') await (await import('./recover/recover-local-run.ts')).recoverLocalRun(read);
  else await (await import('./recover/recover-stage.ts')).recoverStanding(read);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
