// The engineer's credentials, and their account.
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import type { Credentials } from './ask-aws.ts';
import type { StageCommand } from './command-line.ts';

export interface Account {
  /** 12 digits. Null: the profile requires an MFA code, and there is no user to ask for it. */
  readonly id: string | null;
  readonly credentials: Credentials;
}

/**
 * @param askForCode asks for the code of an MFA device; null: there is no user at the terminal
 * @throws if there are no credentials, or none of the stage's account; the message contains the remedy
 */
export async function openAccount(
  command: StageCommand,
  askForCode: ((device: string) => Promise<string>) | null,
): Promise<Account> {
  const { stage, settings, profile } = command;
  const credentials = fromNodeProviderChain({
    clientConfig: { region: settings.region },
    ...(profile !== undefined && { profile }),
    ...(askForCode !== null && { mfaCodeProvider: askForCode }),
  });
  const id = await accountOf(credentials, settings.region);
  if (id === null || settings.account === null || id === settings.account) return { id, credentials };
  throw new Error(
    `${stage} belongs to the account ${settings.account} (lib/stages.ts), and the credentials are of ${id}.\n` +
      'Sign in to that account, or choose other credentials with --profile NAME.',
  );
}

async function accountOf(credentials: Credentials, region: string): Promise<string | null> {
  const sts = new STSClient({ region, maxAttempts: 2, credentials });
  try {
    const { Account: id } = await sts.send(new GetCallerIdentityCommand({}));
    return id ?? null;
  } catch (error) {
    const { name, message } = error as Error;
    if (/multi-factor/i.test(message)) return null;
    const because =
      name === 'CredentialsProviderError'
        ? 'There are no AWS credentials'
        : 'AWS does not accept the credentials, or cannot be reached';
    throw new Error(
      `${because} (${message}).\n` +
        'Sign in (aws sso login, aws login, aws configure), or choose others with --profile NAME.',
      { cause: error },
    );
  } finally {
    sts.destroy();
  }
}
