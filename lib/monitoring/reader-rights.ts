// The rights to read resources of a stage, as CloudFormation does when it compares them with templates.
// AWS' own policy ReadOnlyAccess would also show objects, logs, and parameters and code of other stages.
import { Stage, type Stack } from 'aws-cdk-lib';
import { CfnLoadBalancer } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { type ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { acknowledge, wildcardResource } from '../shared/acknowledge.ts';

/** Actions by the service in the types of resources: they describe settings, and read no stored data. */
export const settingReads: Readonly<Record<string, readonly string[]>> = {
  ApiGateway: ['apigateway:GET'],
  ApplicationAutoScaling: ['application-autoscaling:Describe*', 'application-autoscaling:ListTagsForResource'],
  AutoScaling: ['autoscaling:Describe*'],
  Budgets: ['budgets:Describe*', 'budgets:ListTagsForResource', 'budgets:ViewBudget'],
  CertificateManager: ['acm:DescribeCertificate', 'acm:ListTagsForCertificate'],
  CloudFront: ['cloudfront:Describe*', 'cloudfront:Get*', 'cloudfront:List*'],
  CloudWatch: ['cloudwatch:Describe*', 'cloudwatch:GetDashboard', 'cloudwatch:ListTagsForResource'],
  CodeDeploy: ['codedeploy:BatchGet*', 'codedeploy:Get*', 'codedeploy:List*'],
  EC2: ['ec2:Describe*', 'ec2:GetLaunchTemplateData'],
  ECS: ['ecs:Describe*', 'ecs:List*'],
  ElasticLoadBalancingV2: ['elasticloadbalancing:Describe*'],
  Events: ['events:Describe*', 'events:List*'],
  IAM: ['iam:Get*', 'iam:List*'],
  KMS: ['kms:Describe*', 'kms:GetKey*', 'kms:List*'],
  Logs: ['logs:Describe*', 'logs:GetDataProtectionPolicy', 'logs:ListTags*'],
  RDS: ['rds:Describe*', 'rds:ListTagsForResource'],
  Route53: ['route53:Get*', 'route53:List*'],
  S3: [
    ...['Accelerate', 'Analytics', 'Encryption', 'IntelligentTiering', 'Inventory', 'Lifecycle', 'Metrics'].map(
      (part) => `s3:Get${part}Configuration`,
    ),
    's3:GetBucket*',
    's3:GetReplicationConfiguration',
    's3:ListTagsForResource',
  ],
  SES: ['ses:Get*', 'ses:List*'],
  SNS: ['sns:GetDataProtectionPolicy', 'sns:GetTopicAttributes', 'sns:List*'],
  SQS: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:ListQueueTags'],
  Scheduler: ['scheduler:GetScheduleGroup', 'scheduler:ListTagsForResource'],
  SecretsManager: ['secretsmanager:DescribeSecret', 'secretsmanager:GetResourcePolicy'],
  SSM: ['ssm:DescribeParameters'],
  StepFunctions: ['states:Describe*', 'states:List*'],
  WAFv2: ['wafv2:Get*', 'wafv2:List*'],
};

/** Actions that read code or values, on resources of the stage only: the names of all begin with the stage's. */
const codeReads = ['lambda:Get*', 'lambda:List*'];
const valueReads = ['ssm:GetParameters', 'ssm:ListTagsForResource'];

export function grantReads(policy: ManagedPolicy, stack: Stack): void {
  const stage = Stage.of(stack)?.node.id ?? '';
  const arn = (service: string, resource: string) =>
    `arn:${stack.partition}:${service}:${stack.region}:${stack.account}:${resource}`;
  const code = [arn('lambda', `function:${stage}-*`)];
  const values = [arn('ssm', `parameter/${stage}-*`), arn('ssm', `parameter/loop-streaming-platform/${stage}/*`)];
  const resources = Stage.of(stack)?.node.findAll() ?? [];
  const hasBalancer = resources.some((resource) => CfnLoadBalancer.isCfnLoadBalancer(resource));
  const settings = Object.entries(settingReads).flatMap(([service, reads]) =>
    service === 'ElasticLoadBalancingV2' && !hasBalancer ? [] : reads,
  );
  policy.addStatements(
    new PolicyStatement({ actions: settings, resources: ['*'] }),
    new PolicyStatement({ actions: codeReads, resources: code }),
    new PolicyStatement({ actions: valueReads, resources: values }),
  );
  acknowledge(
    policy,
    'It may look at the settings of what there is, as CloudFormation does for it, and at nothing that is stored.',
    'AwsSolutions-IAM5[Resource::*]',
    ...[...settings, ...codeReads]
      .filter((action) => action.endsWith('*'))
      .map((action) => `AwsSolutions-IAM5[Action::${action}]`),
    ...[...code, ...values].map((resource) => wildcardResource(policy, resource)),
  );
}
