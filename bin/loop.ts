// The command `loop`: the platform from a terminal or a script.
import { CommanderError } from 'commander';
import { createProgram } from './loop/command-line.ts';
import { failures, LoopFailure } from './loop/failure.ts';
import { plain } from './loop/terminal.ts';

const interrupted = 130;

process.on('SIGINT', () => process.exit(interrupted));
// The older Node that began this process has ended.
process.on('disconnect', () => process.exit(interrupted));
// The reader of a pipe, such as `head`, may end first.
process.stdout.on('error', () => process.exit());
try {
  await createProgram(process.env).parseAsync();
  process.exit();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : failures.usage.exitCode);
  if (!(error instanceof LoopFailure)) throw error;
  const { kind, message, lines, problem } = error;
  const { exitCode } = failures[kind];
  if (process.argv.includes('--json')) console.error(JSON.stringify({ error: kind, message, exitCode, problem }));
  else console.error([message, ...lines].map(plain).join('\n'));
  process.exit(exitCode);
}
