// `npm run deploy` and `npm run diff`: check the prerequisites of a stage, then run the CDK's command.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readCommand } from './deploy/command-line.ts';
import { checkPrerequisites } from './deploy/prerequisites.ts';
import { openTerminal } from './local/terminal.ts';

const root = join(import.meta.dirname, '..');

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  const command = readCommand(args);
  if ('text' in command) {
    (command.exitCode === 0 ? console.log : console.error)(command.text);
    return command.exitCode;
  }
  const terminal = openTerminal(process.stdout);
  try {
    const complete = await checkPrerequisites(command, terminal);
    if (command.checkOnly) return complete ? 0 : 1;
    // A comparison changes nothing, so missing prerequisites do not prevent it.
    if (!complete && command.cdkArgs[0] === 'deploy') return 1;
  } catch (error) {
    console.error(`\n${(error as Error).message}`);
    return 1;
  }
  terminal.line(`\n> cdk ${command.cdkArgs.join(' ')}\n`);
  return runCdk(command.cdkArgs);
}

/** @returns the exit code of the CDK */
function runCdk(cdkArgs: readonly string[]): Promise<number> {
  const cdk = spawn(join(root, 'node_modules/.bin/cdk'), cdkArgs, { cwd: root, stdio: 'inherit' });
  // Ctrl-C reaches both processes. This one waits for the CDK, which reports the result of the deployment.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => cdk.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    cdk.once('error', reject);
    cdk.once('close', (code) => resolve(code ?? 1));
  });
}
