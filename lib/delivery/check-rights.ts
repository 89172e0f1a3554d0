// The rights that the checks before a deployment take (bin/deploy/all-checks.ts), for the roles of the workflow.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Those that AWS gives for all resources of an account, or that are about what the account itself is. */
export const checkRights = [
  'ce:ListCostAllocationTags',
  'cloudformation:DescribeStacks',
  'ec2:DescribeAddresses',
  'ec2:DescribeAvailabilityZones',
  'ec2:DescribeInstances',
  'ec2:DescribeInstanceTypeOfferings',
  'ec2:DescribeInternetGateways',
  'ec2:DescribeVpcs',
  'ecr:DescribeImages',
  'iam:ListOpenIDConnectProviders',
  'iam:ListRoles',
  'lambda:GetAccountSettings',
  'route53:GetHostedZone',
  'servicequotas:GetAWSDefaultServiceQuota',
  'servicequotas:GetServiceQuota',
  'ses:GetAccount',
  'ses:GetEmailIdentity',
] as const;

/** Parameters may hold more than anybody who deploys has to know, so these are the bootstrap's alone. */
export const bootstrapParameterRight = 'ssm:GetParameter';

/** @param bootstrapParameters ARN of all parameters of `cdk bootstrap`, in every region */
export function checkStatements(bootstrapParameters: string): readonly PolicyStatement[] {
  return [
    new PolicyStatement({ actions: [...checkRights], resources: ['*'] }),
    new PolicyStatement({ actions: [bootstrapParameterRight], resources: [bootstrapParameters] }),
  ];
}
