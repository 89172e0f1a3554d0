// `npm run deploy` and `npm run diff`: the CDK's commands for one stage, after a look at what they need.
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
    await checkPrerequisites(command, terminal);
  } catch (error) {
    console.error(`\n${(error as Error).message}`);
    return 1;
  }
  terminal.line(`\n> cdk ${command.cdkArgs.join(' ')}\n`);
  return runCdk(command.cdkArgs);
}

/** @returns its exit code */
function runCdk(cdkArgs: readonly string[]): Promise<number> {
  const cdk = spawn(join(root, 'node_modules/.bin/cdk'), cdkArgs, { cwd: root, stdio: 'inherit' });
  // Ctrl-C reaches both; the CDK says what becomes of the deployment, so this one waits for it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => cdk.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    cdk.once('error', reject);
    cdk.once('close', (code) => resolve(code ?? 1));
  });
}
