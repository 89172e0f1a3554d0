// What the CDK needs for a stage, asked before it begins: credentials of the right account, and Docker.
import { spawnSync } from 'node:child_process';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Terminal } from '../local/terminal.ts';
import type { StageCommand } from './command-line.ts';

const dockerTimeoutMs = 30_000;

/** @throws with what to do, in words for the user */
export async function checkPrerequisites(command: StageCommand, terminal: Terminal): Promise<void> {
  if (command.needsCredentials) {
    const account = await terminal.step(`Credentials for ${command.stage}`, async () =>
      checkedAccount(command, await accountOf(command)),
    );
    terminal.line(`  account ${account}, region ${command.settings.region}`);
  }
  if (command.needsDocker)
    await terminal.step('Docker, to build the publisher’s image', async () =>
      checkDocker(process.env.CDK_DOCKER ?? 'docker'),
    );
}

/** The account that the credentials are of; null where only the CDK can find out, as it asks for an MFA code. */
async function accountOf({ settings, profile }: StageCommand): Promise<string | null> {
  const sts = new STSClient({ region: settings.region, maxAttempts: 2, ...(profile !== undefined && { profile }) });
  try {
    const { Account } = await sts.send(new GetCallerIdentityCommand({}));
    return Account ?? null;
  } catch (error) {
    const { name, message } = error as Error;
    if (/multi-factor/i.test(message)) return null;
    const because =
      name === 'CredentialsProviderError'
        ? 'There are no AWS credentials'
        : 'AWS does not accept the credentials, or cannot be reached';
    throw new Error(
      `${because} (${message}).\nSign in (aws sso login, aws login, aws configure), or choose others with --profile NAME.`,
      { cause: error },
    );
  } finally {
    sts.destroy();
  }
}

function checkedAccount({ stage, settings }: StageCommand, account: string | null): string {
  if (account === null || settings.account === null || account === settings.account)
    return account ?? 'of the profile, which asks for an MFA code';
  throw new Error(
    `${stage} belongs to the account ${settings.account} (lib/stages.ts), and the credentials are of ${account}.\nSign in to that account, or choose other credentials with --profile NAME.`,
  );
}

/** @param docker the program, or one that takes the same arguments */
function checkDocker(docker: string): void {
  // It fails without its server.
  const { error, status, stderr } = spawnSync(docker, ['version'], { encoding: 'utf8', timeout: dockerTimeoutMs });
  if (!error && status === 0) return;
  const because = error ? error.message : stderr.trim();
  throw new Error(
    `The publisher’s image may have to be built, and Docker does not answer (${because}).\nStart Docker (CDK_DOCKER names another program), or deploy an image that the pipeline pushed: -c imageDigest=sha256:…`,
  );
}
