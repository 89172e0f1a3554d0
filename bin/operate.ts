// `npm run operate`: commands of operators for a stage or the local run: see lib/README.md, “Operating a stage”.
import { randomUUID } from 'node:crypto';
import { readArguments } from './operate/command-line.ts';
import { printReply } from './operate/print-reply.ts';

const read = readArguments(process.argv.slice(2), `op_${randomUUID().replaceAll('-', '')}`);
if ('text' in read) {
  (read.exitCode === 0 ? console.log : console.error)(read.text);
  process.exit(read.exitCode);
}

try {
  // Both take a while to load, and --help does not wait for them.
  const reply =
    read.stage === 'local'
      ? await (await import('./operate/ask-local-run.ts')).askLocalRun(read)
      : await (await import('./operate/ask-stage.ts')).askStage(read);
  printReply(reply, read);
  process.exitCode = reply.outcome === 'refused' ? 1 : 0;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
