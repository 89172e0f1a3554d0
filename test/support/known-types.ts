// The types of resources that cost nothing in a month without streams: each was examined once.
import { pricedTypes } from '../../bin/cost/stage-month.ts';
import type { Template } from '../../bin/stages/templates.ts';

/** Types billed only by use: the prices are in `byUse` of bin/cost/prices.ts. */
const paidByUse = [
  'AWS::ApiGateway::RestApi',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::Function',
  'AWS::EC2::FlowLog',
  'AWS::EC2::VPC',
  'AWS::EC2::VPCEndpoint', // the free gateway of S3
  'AWS::ECR::Repository',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::SES::EmailIdentity',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::StepFunctions::StateMachine',
];

const free = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::Stage',
  'AWS::ApplicationAutoScaling::ScalableTarget',
  'AWS::Budgets::Budget',
  'AWS::CertificateManager::Certificate',
  'AWS::CloudFormation::WaitCondition',
  'AWS::CloudFormation::WaitConditionHandle',
  'AWS::CloudFront::CachePolicy',
  'AWS::CloudFront::OriginAccessControl',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::EC2::InternetGateway',
  'AWS::EC2::LaunchTemplate',
  'AWS::EC2::Route',
  'AWS::EC2::RouteTable',
  'AWS::EC2::SecurityGroup',
  'AWS::EC2::SecurityGroupEgress',
  'AWS::EC2::SecurityGroupIngress',
  'AWS::EC2::Subnet',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPCGatewayAttachment',
  'AWS::ECS::CapacityProvider',
  'AWS::ECS::ClusterCapacityProviderAssociations',
  'AWS::ECS::TaskDefinition',
  'AWS::ElasticLoadBalancingV2::Listener',
  'AWS::ElasticLoadBalancingV2::TargetGroup',
  'AWS::Events::Rule',
  'AWS::IAM::InstanceProfile',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::OIDCProvider',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::LayerVersion',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::RDS::DBParameterGroup',
  'AWS::RDS::DBProxy',
  'AWS::RDS::DBSubnetGroup',
  'AWS::Route53::RecordSet',
  'AWS::S3::BucketPolicy',
  'AWS::SES::ConfigurationSet',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::SSM::Parameter',
  'AWS::WAFv2::WebACLAssociation',
  'Custom::AWS',
  'Custom::CDKBucketDeployment',
  'Custom::CrossAccountZoneDelegation',
  'Custom::LogRetention',
  'Custom::Trigger',
  'Custom::VpcRestrictDefaultSG',
];

export const knownTypes: ReadonlySet<string> = new Set([...pricedTypes, ...paidByUse, ...free]);

export function typesIn(templates: readonly Template[]): ReadonlySet<string> {
  return new Set(templates.flatMap(({ Resources = {} }) => Object.values(Resources).map(({ Type }) => Type)));
}
