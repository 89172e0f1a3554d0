// `npm run deploy` and `npm run diff`: check the needs of a stage, compare it with the standing one, run the CDK.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readCommand, type StageCommand } from './deploy/command-line.ts';
import { compareWithStage } from './deploy/compare-with-stage.ts';
import { awsOf, checkPrerequisites } from './deploy/prerequisites.ts';
import { openTerminal, type Terminal } from './local/terminal.ts';

const root = join(import.meta.dirname, '..');

// Ctrl-C reaches both processes. This one waits for the CDK, which reports the result of the deployment.
process.on('SIGINT', () => {});
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
    return await runCommand(command, terminal);
  } catch (error) {
    console.error(`\n${(error as Error).message}`);
    return 1;
  }
}

/** Synthesizes, compares with the stage that stands, and then deploys or shows the differences. */
async function runCommand(command: StageCommand, terminal: Terminal): Promise<number> {
  const { cdkArgs, synthArgs, assembly, stage } = command;
  if (synthArgs) {
    const code = await runCdk(synthArgs, terminal);
    if (code !== 0) return code;
  }
  const compared = command.needsCredentials
    ? await compareWithStage(command, assembly, awsOf(command), terminal)
    : { isBlocked: false, first: [] };
  const [name, stacks, ...options] = [...cdkArgs, '--app', assembly];
  if (name === 'deploy') {
    if (compared.isBlocked) return 1;
    for (const first of compared.first) {
      const code = await runCdk([name, `${stage}/${first}`, '--exclusively', ...options], terminal);
      if (code !== 0) return code;
    }
  }
  return runCdk([name, stacks, ...options], terminal);
}

/** @returns the exit code of the CDK */
function runCdk(cdkArgs: readonly string[], terminal: Terminal): Promise<number> {
  terminal.line(`\n> cdk ${cdkArgs.join(' ')}\n`);
  const cdk = spawn(join(root, 'node_modules/.bin/cdk'), cdkArgs, { cwd: root, stdio: 'inherit' });
  const end = () => void cdk.kill('SIGTERM');
  process.on('SIGTERM', end);
  return new Promise((resolve, reject) => {
    cdk.once('error', reject);
    cdk.once('close', (code) => {
      process.off('SIGTERM', end);
      resolve(code ?? 1);
    });
  });
}
