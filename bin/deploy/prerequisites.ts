// Checks what a stage needs before the CDK begins: credentials of the right account, and what fails late without it.
import { createInterface } from 'node:readline/promises';
import type { Stack } from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import type { Terminal } from '../local/terminal.ts';
import { type Check, type CheckContext, deployCommand, type Finding } from './check.ts';
import { bootstrap } from './checks/bootstrap.ts';
import { hostedZone } from './checks/hosted-zone.ts';
import { docker, publisherImage } from './checks/image.ts';
import { serviceLinkedRoles } from './checks/linked-roles.ts';
import { mailAccess, mailIdentity, mailSender } from './checks/mail.ts';
import { fargateVcpus, gpuVcpus, lambdaConcurrency, vpcs } from './checks/quotas.ts';
import { alarmReceiver, ownAccount } from './checks/receivers.ts';
import { standingSettings } from './checks/standing-settings.ts';
import { stuckStacks } from './checks/stuck-stacks.ts';
import { zones } from './checks/zones.ts';
import { templatesOf } from '../stages/templates.ts';
import type { StageCommand } from './command-line.ts';
import { stacksOf } from './stage-stacks.ts';
import { needsOf } from './stage-needs.ts';

/** In the order of the list. Faults that the CDK reports as clearly, in the first minutes, are not checked. */
const checks: readonly Check[] = [
  docker,
  publisherImage,
  bootstrap,
  stuckStacks,
  standingSettings,
  serviceLinkedRoles,
  zones,
  gpuVcpus,
  fargateVcpus,
  lambdaConcurrency,
  vpcs,
  mailSender,
  mailAccess,
  mailIdentity,
  hostedZone,
  alarmReceiver,
  ownAccount,
];

/**
 * @throws if the credentials cannot be used; the message tells the user what to do
 * @returns whether nothing is missing
 */
export async function checkPrerequisites(command: StageCommand, terminal: Terminal): Promise<boolean> {
  if (!command.needsCredentials) return true;
  const { stage, settings, checkOnly } = command;
  const aws = awsOf(command);
  const account = await terminal.step(`Credentials for ${stage}`, () => accountOf(command, aws));
  if (account === null) {
    terminal.line(
      `  The profile asks for an MFA code: ${deployCommand(command)} --check, at a terminal, checks the account.`,
    );
    return !checkOnly;
  }
  terminal.line(`  account ${account}, region ${settings.region}`);
  // This computes for seconds, in which no answer of AWS could be received.
  const needs = needsOf(templatesOf(stage, settings));
  let stacks: Promise<readonly Stack[]> | undefined;
  const ownStacks = () => (stacks ??= stacksOf(stage, aws));
  const findings = await terminal.step('Prerequisites in the account', () =>
    runChecks({ command, account, aws, needs, ownStacks }),
  );
  report(command, findings, terminal);
  return findings.every(({ state }) => state !== 'missing');
}

/** The options of every SDK client of a command. */
export function awsOf({ settings: { region }, profile, checkOnly }: StageCommand): CheckContext['aws'] {
  const credentials = fromNodeProviderChain({
    clientConfig: { region },
    ...(profile !== undefined && { profile }),
    // The CDK asks for a code of its own, and a device shows each code once: so a deployment does not ask for another.
    ...(checkOnly && process.stdin.isTTY && { mfaCodeProvider: askForCode }),
  });
  return { region, credentials, maxAttempts: 4 };
}

/** Runs all checks at once. A question without an answer becomes a warning. */
export async function runChecks(context: CheckContext): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    checks.map(({ name, run }) =>
      run(context).catch((error: Error): readonly Finding[] => [
        {
          what: name,
          needed: 'an answer of AWS',
          found: `unknown: ${error.name}`,
          state: 'warning',
          remedy: [
            error.message || (error.cause instanceof Error ? error.cause.message : 'AWS cannot be reached: try again.'),
          ],
        },
      ]),
    ),
  );
  return findings.flat();
}

/**
 * @returns the account of the credentials; null if the profile asks for an MFA code and there is no terminal
 * @throws if there are no credentials, or none of the stage's account
 */
async function accountOf({ stage, settings }: StageCommand, aws: CheckContext['aws']): Promise<string | null> {
  const { Account: account = '' } = await new STSClient(aws)
    .send(new GetCallerIdentityCommand({}))
    .catch(({ name, message }: Error) => {
      if (/multi-factor/i.test(message)) return { Account: null };
      const because =
        name === 'CredentialsProviderError'
          ? 'There are no AWS credentials'
          : 'AWS refuses the credentials, or cannot be reached';
      throw new Error(
        `${because} (${message}).\n` +
          'Sign in (aws sso login, aws login, aws configure), or choose others with --profile NAME.',
      );
    });
  if (account === null || settings.account === null || account === settings.account) return account;
  throw new Error(
    `${stage} belongs to the account ${settings.account} (lib/stages.ts), but the credentials are for ${account}.\n` +
      'Sign in to that account, or choose other credentials with --profile NAME.',
  );
}

async function askForCode(device: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(`MFA code of ${device}: `);
  } finally {
    lines.close();
  }
}

const marks = { there: '✓', missing: '✗', warning: '!' } as const;

/** Prints the findings with what to do: all of them for `--check`, else those that something has to be done about. */
function report({ stage, checkOnly }: StageCommand, findings: readonly Finding[], terminal: Terminal): void {
  terminal.line();
  for (const { what, needed, found, state, remedy } of findings) {
    if (state === 'there' && !checkOnly) continue;
    terminal.line(`${marks[state]}  ${what}: ${needed}. Found: ${found}`);
    for (const line of remedy) terminal.line(`      ${line}`);
  }
  const count = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted).length;
  terminal.line(`${stage}: ${count('missing')} missing, ${count('warning')} warnings, ${count('there')} met.`);
}
