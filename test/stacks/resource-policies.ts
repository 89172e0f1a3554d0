// Required statements of resource policies: no access without TLS, and access of AWS' own services.
import type { TemplateGraph } from '../support/template-graph.ts';

interface NeededStatement {
  readonly policy: string;
  /** The property that names the policy's resource. */
  readonly subject: 'Bucket' | 'Queues' | 'Topics';
  /** STACK/LOGICAL-ID of the resources that need the statement. */
  readonly on: RegExp;
  readonly statement: Readonly<Record<string, unknown>>;
  readonly because: string;
}

const withoutTls = { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
const fromServices = { Principal: { Service: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] } };

const neededStatements: readonly NeededStatement[] = [
  {
    policy: 'AWS::S3::BucketPolicy',
    subject: 'Bucket',
    on: /./,
    statement: { ...withoutTls, Action: 's3:*', Principal: { AWS: '*' } },
    because: 'media and logs are read and written over TLS only',
  },
  {
    policy: 'AWS::S3::BucketPolicy',
    subject: 'Bucket',
    on: /./,
    statement: { Effect: 'Deny', Action: 's3:*', Condition: { NumericLessThan: { 's3:TlsVersion': 1.2 } } },
    because: 'older versions of TLS are broken',
  },
  {
    policy: 'AWS::S3::BucketPolicy',
    subject: 'Bucket',
    on: /Logs/,
    statement: { Effect: 'Allow', Action: 's3:PutObject', Principal: { Service: 'logging.s3.amazonaws.com' } },
    because: 'S3 writes access logs with this right only, and drops them without a word otherwise',
  },
  {
    policy: 'AWS::S3::BucketPolicy',
    subject: 'Bucket',
    on: /\/Site/,
    statement: { Effect: 'Allow', Action: 's3:GetObject', Principal: { Service: 'cloudfront.amazonaws.com' } },
    because: 'the distribution reads the page',
  },
  {
    policy: 'AWS::SQS::QueuePolicy',
    subject: 'Queues',
    on: /./,
    statement: { ...withoutTls, Action: 'sqs:*' },
    because: 'commands are sent and received over TLS only',
  },
  {
    policy: 'AWS::SNS::TopicPolicy',
    subject: 'Topics',
    on: /./,
    statement: { ...withoutTls, Action: 'sns:Publish' },
    because: 'notifications are published over TLS only',
  },
  {
    policy: 'AWS::SNS::TopicPolicy',
    subject: 'Topics',
    on: /./,
    statement: { Effect: 'Allow', Action: 'sns:Publish', ...fromServices },
    because: 'alarms and the budget tell nobody otherwise',
  },
];

/** Types that need one of these policies each, and types with the policy as a property. */
const subjects = { Bucket: 'AWS::S3::Bucket', Queues: 'AWS::SQS::Queue', Topics: 'AWS::SNS::Topic' } as const;

const includes = (given: any, wanted: Readonly<Record<string, unknown>>) =>
  Object.entries(wanted).every(([key, value]) => JSON.stringify(given[key]) === JSON.stringify(value));

function isGuarded(graph: TemplateGraph, id: string, { policy, subject, statement }: NeededStatement): boolean {
  return graph
    .ofType(policy)
    .filter(({ Properties, stackId }) => graph.namedIn(Properties[subject], stackId).includes(id))
    .some(({ Properties }) => Properties.PolicyDocument.Statement.some((given: any) => includes(given, statement)));
}

/** Missing statements of a stage, a line each. */
export function faultsOfResourcePolicies(graph: TemplateGraph): readonly string[] {
  const lacking = neededStatements.flatMap((needed) =>
    graph
      .ofType(subjects[needed.subject])
      .filter(({ id }) => needed.on.test(id) && !isGuarded(graph, id, needed))
      .map(({ id }) => `${id} lacks ${needed.statement['Effect']} ${needed.statement['Action']}: ${needed.because}`),
  );
  const keys = graph.ofType('AWS::KMS::Key').flatMap(({ id, Properties }) => {
    const statements: any[] = Properties.KeyPolicy.Statement;
    const byAccount = statements.some(
      ({ Action, Principal }) => Action === 'kms:*' && JSON.stringify(Principal).includes(':root'),
    );
    // The topic's key: its publishers use it under their own identity.
    const lacksServices =
      id.includes('NotificationsKey') &&
      !['kms:Decrypt', 'kms:GenerateDataKey*'].every((action) =>
        statements.some((given) => includes(given, fromServices) && [given.Action].flat().includes(action)),
      );
    return [
      ...(byAccount ? [] : [`${id} cannot be used or changed by anybody of the account`]),
      ...(lacksServices ? [`${id} may not be used by those who publish to the topic`] : []),
    ];
  });
  const roles = graph
    .ofType('AWS::IAM::Role')
    .filter(({ Properties }) => Properties.AssumeRolePolicyDocument.Statement.length === 0)
    .map(({ id }) => `${id} can be taken on by nobody`);
  return [...lacking, ...keys, ...roles];
}
