// The rights that the checks before a deployment (bin/deploy) need, for the workflow's roles.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Rights that AWS grants only for all resources of an account, or that concern the account itself. */
export const checkRights = [
  'cloudformation:DescribeStacks',
  'cloudformation:GetTemplate',
  'ec2:DescribeAvailabilityZones',
  'ec2:DescribeInstances',
  'ec2:DescribeInstanceTypeOfferings',
  'ec2:DescribeVpcs',
  'ecr:DescribeImages',
  'iam:ListRoles',
  'lambda:GetAccountSettings',
  'rds:DescribeOrderableDBInstanceOptions',
  'route53:GetHostedZone',
  'servicequotas:GetAWSDefaultServiceQuota',
  'servicequotas:GetServiceQuota',
  'ses:GetAccount',
  'ses:GetEmailIdentity',
] as const;

/** Limited to the parameters of the bootstrap, because other parameters may be confidential. */
export const bootstrapParameterRight = 'ssm:GetParameter';

/** @param bootstrapParameters ARN of all parameters of `cdk bootstrap`, in every region */
export function checkStatements(bootstrapParameters: string): readonly PolicyStatement[] {
  return [
    new PolicyStatement({ actions: [...checkRights], resources: ['*'] }),
    new PolicyStatement({ actions: [bootstrapParameterRight], resources: [bootstrapParameters] }),
  ];
}
