// Tags: each resource that supports tags has those of its stage, and the budget counts by them.
import { expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const prod = synthesizeStage(testApp(), 'prod', stages.prod);
const tags = { stage: 'prod', owner: stages.prod.owner, 'cost-center': stages.prod.costCenter };

/** The tags of a resource in its type's format; for a launch template, those of everything that it creates. */
function tagsOf({ Tags: tagged = [], ResourceTags = [], TagSpecifications = [], LaunchTemplateData = {} }: any) {
  const specified = [...TagSpecifications, ...(LaunchTemplateData.TagSpecifications ?? [])];
  const lists: any[] = specified.length > 0 ? specified.map(({ Tags }) => Tags) : [tagged, ResourceTags];
  return lists
    .flatMap((list) => (Array.isArray(list) ? list.map(({ Key, Value }) => [Key, Value]) : Object.entries(list)))
    .map(([key, value]) => `${key}=${value}`);
}

/** Functions and roles that the CDK creates for custom resources, without tags. */
const ofCdk = /^CustomVpcRestrictDefaultSG|^AWSCDKTrigger/;

/** Types of resources that CloudFormation cannot tag. */
const untagged = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApplicationAutoScaling::ScalingPolicy',
  'AWS::CloudFront::CachePolicy',
  'AWS::CloudFront::OriginAccessControl',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::EC2::Route',
  'AWS::EC2::SecurityGroupIngress',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPCGatewayAttachment',
  'AWS::ECS::ClusterCapacityProviderAssociations',
  'AWS::IAM::InstanceProfile',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::Lambda::Alias',
  'AWS::Lambda::LayerVersion',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::MetricFilter',
  // Its tags are of a form of their own.
  'AWS::Route53::HealthCheck',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::WAFv2::WebACLAssociation',
  'Custom::AWS',
  'Custom::CDKBucketDeployment',
  'Custom::LogRetention',
  'Custom::Trigger',
  'Custom::VpcRestrictDefaultSG',
];

test('everything has the tags of its stage, but what takes none', () => {
  const expected = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  const without = prod
    .resources()
    .filter(
      ([id, { Properties }]) => !ofCdk.test(id) && !expected.every((tag) => tagsOf(Properties ?? {}).includes(tag)),
    )
    .map(([, { Type }]) => Type);
  expect([...new Set(without)].sort()).toEqual(untagged);
});

test('machines and tasks get them too', () => {
  const [, group] = prod.resources('Publishing').find(([, { Type }]) => Type === 'AWS::AutoScaling::AutoScalingGroup')!;
  const own = group.Properties.Tags.filter(({ Key }: { Key: string }) => Key in tags);
  expect(own).toEqual(own.map(() => expect.objectContaining({ PropagateAtLaunch: true })));
  expect(own).toHaveLength(3);
  for (const [, { Type, Properties }] of prod.resources('Publishing'))
    if (Type === 'AWS::ECS::Service') expect(Properties.PropagateTags).toBe('SERVICE');
});

test('the budget is for what has the tag of the stage', () => {
  const [, budget] = prod.resources('Monitoring').find(([, { Type }]) => Type === 'AWS::Budgets::Budget')!;
  expect(budget.Properties.Budget.CostFilters).toEqual({ TagKeyValue: ['user:stage$prod'] });
});
