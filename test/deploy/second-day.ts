// The second day of a deployed stage: settings change there and back, and a release is taken back and deployed again.
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { releaseBefore } from '../support/release-before.ts';
import type { DeployedResources, Deployment, EmulatedAccount } from './emulated-account.ts';

const root = join(import.meta.dirname, '../..');
const domainName = 'live.example.com';

/** Resources with data, or with names that others know: no change may replace them. Groups of a proxy go with it. */
const lastingTypes: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::RestApi',
  'AWS::CloudFront::Distribution',
  'AWS::EC2::Subnet',
  'AWS::EC2::VPC',
  'AWS::ECS::Cluster',
  'AWS::KMS::Key',
  'AWS::RDS::DBInstance',
  'AWS::S3::Bucket',
  'AWS::SQS::Queue',
  'AWS::SecretsManager::Secret',
]);

export interface SecondDay {
  readonly account: EmulatedAccount;
  /** Runs a step with its title on the console. */
  readonly step: (title: string, work: () => Promise<void>) => Promise<void>;
  /** A folder for the release before. */
  readonly folder: string;
  /** Resolves if the stream is on air, and has been all the time. */
  readonly assertOnAir: () => Promise<void>;
}

/** Deploys each change, and asserts that lasting resources stay and that the stream is on air. */
export async function liveThroughSecondDay({ account, step, folder, assertOnAir }: SecondDay): Promise<void> {
  const before = await account.resources();
  const zone = { name: domainName, hostedZoneId: await createZone(account) };
  const changes: readonly (readonly [title: string, settings: Partial<StageSettings>])[] = [
    ['a domain given', { domain: zone }],
    ['the domain taken back', {}],
    ['the proxy off', { databaseProxy: false }],
    ['the proxy on', {}],
  ];
  const deployAndLook = (title: string, deployment: Deployment) =>
    step(`cdk deploy with ${title}, and the stream is on air`, async () => {
      await account.deploy(deployment);
      assert.deepEqual(replacedIn(before, await account.resources()), []);
      await assertOnAir();
    });
  for (const [title, settings] of changes) await deployAndLook(title, { isChanged: true, settings });
  const release = await checkOutReleaseBefore(join(folder, 'release-before'));
  if (release === null) console.log('  skipped: the release before, because git does not have it');
  else {
    await deployAndLook(`the release before, ${release.name}`, { isChanged: true, sources: release.folder });
    await deployAndLook('this release again', { isChanged: true });
  }
  await deployAndLook('a third zone', { isChanged: true, settings: { addedAvailabilityZone: 'us-east-1c' } });
}

async function createZone({ clientConfig }: EmulatedAccount): Promise<string> {
  const command = new CreateHostedZoneCommand({ Name: domainName, CallerReference: domainName });
  const { HostedZone } = await new Route53Client(clientConfig).send(command);
  return HostedZone!.Id!.split('/').at(-1)!;
}

/** Lasting resources that are gone or have another physical id. */
function replacedIn(before: DeployedResources, after: DeployedResources): string[] {
  return [...before].flatMap(([id, { type, physicalID }]) =>
    lastingTypes.has(type) && after.get(id)?.physicalID !== physicalID ? [id] : [],
  );
}

/** The sources of the release before, with the packages of this one. @returns null where git does not have it */
async function checkOutReleaseBefore(folder: string): Promise<{ name: string; folder: string } | null> {
  const release = releaseBefore(undefined, root);
  if (release === null) return null;
  const git = (...args: readonly string[]) => promisify(execFile)('git', ['-C', root, ...args]);
  await git('clone', '--quiet', '--no-checkout', '--shared', root, folder);
  await git('-C', folder, 'checkout', '--quiet', release.name);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return { name: release.name, folder };
}
