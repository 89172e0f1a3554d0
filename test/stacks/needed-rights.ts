// The rights without which a part of the platform fails, each with its reason. A stage must grant them all.
import type { GraphResource, TemplateGraph } from '../support/template-graph.ts';

export interface NeededRights {
  /** STACK/LOGICAL-ID of the roles, or of the resources whose own policies must grant the right. */
  readonly of: RegExp;
  readonly actions: readonly string[];
  /** STACK/LOGICAL-ID of each resource, or a part of a name that the stage chose. */
  readonly on: readonly RegExp[];
  readonly because: string;
}

const everything = /^\*$/;
const uploads = /^Media\/Uploads/;
const sending = ['sqs:SendMessage'];
const receiving = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
const queue = (name: string) => new RegExp(`^Publishing/Commands${name}(?!DeadLetters)`);
const streamQueues = ['PublishFfmpeg', 'PublishManifest', 'Media', 'Webhooks', 'Platforms'].map(queue);
const surfaces = /^Api\/(?:Rest|Mcp|Graphql)ServiceRole/;
const platforms = /^Api\/PlatformsServiceRole/;
const webhooks = /^Publishing\/WebhooksServiceRole/;
const synthetic = /^Monitoring\/SyntheticStreamSyntheticServiceRole/;
const agents = /^Publishing\/Agents(?:Ffmpeg|Manifest)TaskTaskRole/;
const tasks = /^Publishing\/(?:Agents|Import)\w*TaskRole/;

export const neededRights: readonly NeededRights[] = [
  {
    of: /^(?:Api|Identity|Publishing|Monitoring)\/\w+?(?:ServiceRole|TaskRole)/,
    actions: ['rds-db:connect'],
    on: [/^Database\/Proxy[0-9A-F]{8}$/],
    because: 'every process works on the database, by a token that this right makes valid',
  },
  {
    of: /^Database\/ProxyRole/,
    actions: ['rds-db:connect'],
    on: [/^Database\/Database[0-9A-F]{8}$/],
    because: 'the proxy has no secret, and signs in to the instance by a token of its own',
  },
  {
    of: /^(?:Api|Identity|Publishing|Database|Monitoring)\/(?!LogRetention)\w+?ServiceRole/,
    actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
    on: [everything],
    because: 'Lambda traces with the role of the function',
  },
  {
    of: new RegExp(`${surfaces.source}|^Identity/AuthServiceRole`),
    actions: ['secretsmanager:GetSecretValue'],
    on: [/^Database\/ServiceSecret/],
    because: 'surfaces sign cursors, and sign-in signs sessions',
  },
  {
    of: new RegExp(`${surfaces.source}|${platforms.source}`),
    actions: ['secretsmanager:GetSecretValue'],
    on: [/^Api\/PaymentProviders/],
    because: 'surfaces make payments with the keys of the providers, and platforms know our clients by theirs',
  },
  {
    of: /^Database\/MigrationServiceRole/,
    actions: ['secretsmanager:GetSecretValue'],
    on: [/^Database\/Database[0-9A-F]{8}$/],
    because: 'the migration signs in as the master',
  },
  {
    of: /^Database\/MigrationServiceRole/,
    actions: ['kms:Encrypt', 'kms:Decrypt'],
    on: [/^Database\/SealingKey/],
    because: 'the migration makes the data key and the keys that sign tokens',
  },
  {
    of: new RegExp(
      `${surfaces.source}|${agents.source}|^Identity/AuthServiceRole|${webhooks.source}|${platforms.source}`,
    ),
    actions: ['kms:Decrypt'],
    on: [/^Database\/SealingKey/],
    because: 'stream keys, grants, signing keys and secrets of webhooks are sealed',
  },
  {
    of: new RegExp(`${surfaces.source}|^Publishing/ImportWorkers\\w*TaskRole`),
    actions: ['kms:Decrypt'],
    on: [/^Database\/SealingKey/],
    because: 'surfaces seal the credentials of sources, and import workers open them',
  },
  {
    of: new RegExp(
      `${surfaces.source}|^Identity/AuthServiceRole|${webhooks.source}|${platforms.source}|${synthetic.source}`,
    ),
    actions: ['ssm:GetParameter'],
    on: [/\/public-origin"/],
    because: 'a function of a stage without a domain refuses to start without its address',
  },
  {
    of: surfaces,
    actions: [
      's3:PutObject',
      's3:GetObject',
      's3:ListMultipartUploadParts',
      's3:AbortMultipartUpload',
      's3:DeleteObject',
    ],
    on: [uploads],
    because: 'they sign URLs for uploads and downloads, join parts or give them up, and write previews',
  },
  {
    of: surfaces,
    actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
    on: [/^Media\/Key/],
    because: 'S3 encrypts what users send, and decrypts it for downloads and where parts are joined',
  },
  { of: platforms, actions: ['s3:GetObject', 's3:ListBucket'], on: [uploads], because: 'thumbnails are uploads' },
  { of: platforms, actions: ['kms:Decrypt'], on: [/^Media\/Key/], because: 'thumbnails are encrypted by this key' },
  {
    of: tasks,
    actions: ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:DeleteObject'],
    on: [uploads],
    because: 'tasks read uploads, write renditions, previews or imports, and leave no half of them behind',
  },
  {
    of: tasks,
    actions: ['s3:ListBucket'],
    on: [uploads],
    because: 'whoever may not list a bucket is told “forbidden” of an object that is missing',
  },
  {
    of: /^Publishing\/ImportWorkers\w*TaskRole/,
    actions: ['s3:ListMultipartUploadParts'],
    on: [uploads],
    because: 'an import that goes on asks which parts are there',
  },
  {
    of: tasks,
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    on: [/^Media\/Key/],
    because: 'objects are encrypted by this key, and parts are read again when they are joined',
  },
  {
    of: new RegExp(`${surfaces.source}|^Publishing/SweepServiceRole`),
    actions: sending,
    on: [...streamQueues, queue('Imports')],
    because: 'they send what users asked for, and the sweep what others left in the outbox',
  },
  {
    of: new RegExp(`${agents.source}|^Publishing/TimersJobServiceRole`),
    actions: sending,
    on: streamQueues,
    because: 'they move streams, and tell of it',
  },
  {
    of: /^Publishing\/ImportWorkers\w*TaskRole/,
    actions: sending,
    on: [queue('Imports'), queue('Media'), queue('Webhooks')],
    because: 'an import goes on in another command, is examined, and is told of',
  },
  ...(
    [
      [/^Publishing\/TimersJobServiceRole/, 'Timers'],
      [webhooks, 'Webhooks'],
      [platforms, 'Platforms'],
      [/^Publishing\/ImportWorkers\w*TaskRole/, 'Imports'],
      [/^Publishing\/Agents(?:FfmpegTask|MediaWorkers)\w*TaskRole/, 'Media'],
      [/^Publishing\/AgentsFfmpegTaskTaskRole/, 'PublishFfmpeg'],
      [/^Publishing\/AgentsManifestTaskTaskRole/, 'PublishManifest'],
    ] as const
  ).map(([of, name]) => ({ of, actions: receiving, on: [queue(name)], because: 'it works off this queue' })),
  {
    of: /^Publishing\/SweepServiceRole/,
    actions: ['scheduler:CreateSchedule', 'scheduler:UpdateSchedule'],
    on: [/:schedule\//],
    because: 'the sweep arms timers, and moves those that are armed',
  },
  {
    of: /^Publishing\/SweepServiceRole/,
    actions: ['iam:PassRole'],
    on: [/^Publishing\/StreamTimersRole/],
    because: 'a schedule sends by this role',
  },
  {
    of: /^Publishing\/StreamTimersRole/,
    actions: sending,
    on: [queue('Timers')],
    because: 'a timer fires by a message',
  },
  {
    of: tasks,
    actions: ['ecs:UpdateTaskProtection'],
    on: [/:task\//],
    because: 'tasks are not ended while they work',
  },
  {
    of: tasks,
    actions: ['ssm:GetParameter'],
    on: [/Release"/],
    because: 'tasks of an old release end by what this parameter says',
  },
  {
    of: /^Publishing\/\w+ExecutionRole/,
    actions: ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
    on: [/:repository\//],
    because: 'ECS pulls the image with it',
  },
  {
    of: /^Publishing\/\w+ExecutionRole/,
    actions: ['ecr:GetAuthorizationToken'],
    on: [everything],
    because: 'ECS signs in to the registry with it',
  },
  {
    of: /^Publishing\/\w+ExecutionRole/,
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    on: [/^Publishing\/\w+Logs/],
    because: 'a task whose log driver may not write does not start',
  },
  {
    // https://docs.aws.amazon.com/AmazonECS/latest/developerguide/instance_IAM_role.html
    of: /^Publishing\/AgentsGpuPoolMachineRole/,
    actions: ['ecs:RegisterContainerInstance', 'ecs:DeregisterContainerInstance', 'ecs:SubmitTaskStateChange'],
    on: [/^Publishing\/AgentsCluster/],
    because: 'the ECS agent of a machine registers it, and tells how its tasks do',
  },
  {
    of: /^Publishing\/AgentsGpuPoolMachineRole/,
    actions: ['ecs:Poll', 'ecs:StartTelemetrySession', 'ecs:DiscoverPollEndpoint'],
    on: [everything],
    because: 'the ECS agent of a machine asks what to run',
  },
  {
    // https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html
    of: /^Network\/VpcRejectedIAMRole/,
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents', 'logs:DescribeLogStreams'],
    on: [/^Network\/FlowLogs/],
    because: 'the VPC writes its flow logs',
  },
  {
    of: /^Database\/AWSCDKTriggerCustomResourceProvider/,
    actions: ['lambda:InvokeFunction'],
    on: [/^Database\/Migration[0-9A-F]{8}$/],
    because: 'a deployment migrates the schema',
  },
  {
    of: /^Network\/CustomVpcRestrictDefaultSG/,
    actions: [
      'ec2:RevokeSecurityGroupIngress',
      'ec2:RevokeSecurityGroupEgress',
      'ec2:AuthorizeSecurityGroupIngress',
      'ec2:AuthorizeSecurityGroupEgress',
    ],
    on: [/:security-group\//],
    because: 'the default security group is emptied, and filled again when the stage is destroyed',
  },
  {
    of: /^Delivery\/AWS679f53fac/,
    actions: ['s3:PutBucketCORS'],
    on: [uploads],
    because: 'the page uploads from a browser',
  },
  {
    of: synthetic,
    actions: ['s3:ListBucket'],
    on: [/^Monitoring\/SyntheticStreamIngest/],
    because: 'it looks whether pictures have arrived',
  },
  {
    of: /^Dashboard\/CustomCDKBucketDeployment/,
    actions: ['s3:GetObject', 's3:ListBucket'],
    on: [/-assets-/],
    because: 'the page is copied from the assets',
  },
  {
    of: /^Dashboard\/CustomCDKBucketDeployment/,
    actions: ['s3:PutObject', 's3:DeleteObject', 's3:ListBucket'],
    on: [/^Dashboard\/Site/],
    because: 'the page is copied to its bucket, where old files are deleted',
  },
];

const matches = (pattern: string, action: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(action);

/** The statements of a role in the templates. Policies managed by AWS are not included. */
function statementsOf(graph: TemplateGraph, role: GraphResource): readonly (readonly [any, stackId: string])[] {
  const attached = graph.namedIn(role.Properties.ManagedPolicyArns ?? [], role.stackId);
  const others = [...graph.ofType('AWS::IAM::Policy'), ...graph.ofType('AWS::IAM::ManagedPolicy')].filter(
    ({ id, Properties, stackId }) =>
      attached.includes(id) || graph.namedIn(Properties.Roles ?? [], stackId).includes(role.id),
  );
  const documents = [
    ...others.map(({ Properties, stackId }) => [Properties.PolicyDocument, stackId] as const),
    ...(role.Properties.Policies ?? []).map(({ PolicyDocument }: any) => [PolicyDocument, role.stackId] as const),
  ];
  return documents.flatMap(([{ Statement }, stackId]) =>
    Statement.map((statement: any) => [statement, stackId] as const),
  );
}

/** Whether a statement's resource is one that the right needs, by its referenced resources or by its text. */
function isOn(graph: TemplateGraph, resource: unknown, stackId: string, on: RegExp): boolean {
  if (resource === '*') return true;
  return graph.namedIn(resource, stackId).some((id) => on.test(id)) || on.test(JSON.stringify(resource));
}

/** Missing rights of a stage, a line each. A row that matches no role of the stage is a fault too. */
export function faultsOfRights(graph: TemplateGraph): readonly string[] {
  const roles = graph.ofType('AWS::IAM::Role');
  return neededRights.flatMap(({ of, actions, on, because }) => {
    const meant = roles.filter(({ id }) => of.test(id));
    if (meant.length === 0) return [`no role is called ${of}`];
    return meant.flatMap((role) => {
      const allowed = statementsOf(graph, role).filter(([{ Effect }]) => Effect === 'Allow');
      return actions.flatMap((action) =>
        on
          .filter(
            (resource) =>
              !allowed.some(
                ([{ Action, Resource }, stackId]) =>
                  [Action].flat().some((pattern: string) => matches(pattern, action)) &&
                  [Resource].flat().some((granted) => isOn(graph, granted, stackId, resource)),
              ),
          )
          .map((resource) => `${role.id} may not ${action} on ${resource.source}: ${because}`),
      );
    });
  });
}
