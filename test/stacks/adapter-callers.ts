// The adapters that each deployable uses, with the variables from its template.
import type { Pool } from 'pg';
import { sourceRolePrefix } from '../../lambda/domain/sources/source-role.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { readMailEnvironment } from '../../lambda/ports/mailer/mail-environment.ts';
import { withoutIDs } from '../deploy/recorded-calls.ts';
import { adapterCalls } from '../support/adapter-calls.ts';
import type { MediaUse } from '../support/adapter-calls.ts';
import type { NeededRight } from '../support/aws-request.ts';
import type { ConcreteResource, ConcreteTemplates } from '../support/concrete-templates.ts';
import type { AwsCall } from '../support/iam.ts';

interface AdapterUse {
  readonly media?: MediaUse;
  readonly consumes?: readonly QueueName[];
  readonly armsTimers?: true;
  readonly takesOnRoles?: true;
}

/** The role of a user of the stage, in the user's account. */
const sourceRoleARN = `arn:aws:iam::222222222222:role/${sourceRolePrefix}-of-a-user`;

/** Uses by the id of the function or task definition. All others use no such adapters. */
const uses: readonly (readonly [id: RegExp, use: AdapterUse])[] = [
  [/^Api\/(?:Rest|Mcp|Graphql)[0-9A-F]{8}$/, { media: 'takes in' }],
  [/^Api\/Platforms[0-9A-F]{8}$/, { media: 'reads' }],
  [/^Publishing\/Sweep[0-9A-F]{8}$/, { armsTimers: true }],
  [/^Publishing\/AgentsFfmpegTask/, { media: 'prepares', consumes: ['publish-ffmpeg', 'media'] }],
  [/^Publishing\/AgentsManifestTask/, { media: 'prepares', consumes: ['publish-manifest'] }],
  [/^Publishing\/AgentsMediaWorkers/, { media: 'prepares', consumes: ['media'] }],
  [/^Publishing\/ImportWorkers/, { media: 'imports', consumes: ['imports'], takesOnRoles: true }],
  [/^Publishing\/(?:TimersJob|Webhooks)[0-9A-F]{8}$/, {}],
  [/^Operate\/Operate[0-9A-F]{8}$/, {}],
  [/^Identity\/Auth[0-9A-F]{8}$/, {}],
];

/** @param pool of a migrated database @returns calls by functions and tasks, not by their roles */
export async function callsOfAdapters(pool: Pool, templates: ConcreteTemplates): Promise<readonly AwsCall[]> {
  const deployables = [...templates.ofType('AWS::Lambda::Function'), ...templates.ofType('AWS::ECS::TaskDefinition')];
  const calls: AwsCall[] = [];
  for (const [pattern, use] of uses) {
    const matching = deployables.filter(({ id }) => pattern.test(id));
    if (matching.length === 0) throw new Error(`no function or task is called ${pattern}`);
    for (const deployable of matching) calls.push(...(await callsOf(pool, deployable, use, templates)));
  }
  return calls;
}

async function callsOf(
  pool: Pool,
  deployable: ConcreteResource,
  { media, consumes = [], armsTimers, takesOnRoles }: AdapterUse,
  templates: ConcreteTemplates,
): Promise<readonly AwsCall[]> {
  const variables = variablesOf(deployable);
  const rights = await adapterCalls(pool, {
    bucket: variables['UPLOADS_BUCKET'] ?? '',
    queueURLs: JSON.parse(variables['QUEUE_URLS'] ?? '{}'),
    consumes,
    deadLetterURLs: JSON.parse(variables['DEAD_LETTER_URLS'] ?? '{}'),
    timers: armsTimers
      ? {
          group: variables['TIMER_GROUP']!,
          roleARN: variables['TIMER_ROLE_ARN']!,
          queueARN: variables['TIMER_QUEUE_ARN']!,
        }
      : null,
    ...readMailEnvironment(variables),
    sourceRoleARN: takesOnRoles ? sourceRoleARN : null,
    media: media ?? null,
  });
  return rights.map((right) => ({ caller: deployable.id, ...callOf(right, templates) }));
}

function variablesOf({ properties }: ConcreteResource): Readonly<Record<string, string>> {
  const ofContainer: { Name: string; Value: string }[] = properties.ContainerDefinitions?.[0].Environment ?? [];
  return properties.Environment?.Variables ?? Object.fromEntries(ofContainer.map(({ Name, Value }) => [Name, Value]));
}

/** A recorded request in the terms of the stage: variables give resources their names, URLs or ARNs. */
function callOf(
  { action, resource, part, context }: NeededRight,
  templates: ConcreteTemplates,
): Omit<AwsCall, 'caller'> {
  if (resource === sourceRoleARN) return { action, resource, ...(context && { context }) };
  const keyOf = /^key of (.*)$/.exec(resource)?.[1];
  const found =
    keyOf === undefined
      ? templates.called(resource)
      : templates.ofType('AWS::KMS::Key').find(({ id }) => id.startsWith('Media/'))!;
  const bucketKey = 'kms:EncryptionContext:aws:s3:arn';
  const bucket = context?.[bucketKey];
  const named = bucket === undefined ? context : { ...context, [bucketKey]: templates.called(bucket).id };
  return {
    action,
    resource: part === undefined ? found.id : `${found.id}#${withoutIDs(part)}`,
    ...(named && { context: named }),
  };
}
