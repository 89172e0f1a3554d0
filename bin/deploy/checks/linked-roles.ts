// Service-linked roles: a service that CloudFormation calls in its first minutes cannot wait until it has made its own.
import { IAMClient, paginateListRoles } from '@aws-sdk/client-iam';
import { serviceOfAWS } from '../../../lambda/domain/shared/aws-partition.ts';
import { type Check, found, itemsOf, profileOption } from '../check.ts';

/**
 * The types of resources that need each role, by the service that takes it on. A role is made once in an account, for
 * all regions (https://docs.aws.amazon.com/IAM/latest/UserGuide/using-service-linked-roles.html).
 */
export const linkedRoles: Readonly<Record<string, readonly string[]>> = {
  [serviceOfAWS('ecs')]: ['AWS::ECS::Cluster', 'AWS::ECS::CapacityProvider', 'AWS::ECS::Service'],
  [serviceOfAWS('ecs.application-autoscaling')]: ['AWS::ApplicationAutoScaling::ScalableTarget'],
  [serviceOfAWS('autoscaling')]: ['AWS::AutoScaling::AutoScalingGroup'],
  [serviceOfAWS('rds')]: ['AWS::RDS::DBInstance', 'AWS::RDS::DBProxy'],
};

const prefix = '/aws-service-role/';

export const serviceLinkedRoles: Check = {
  name: 'Service-linked roles',
  async run({ command, aws }) {
    const pages = paginateListRoles({ client: new IAMClient(aws) }, { PathPrefix: prefix });
    const paths = new Set((await itemsOf(pages, ({ Roles }) => Roles)).map(({ Path }) => Path));
    return Object.keys(linkedRoles).map((service) => {
      const isThere = paths.has(`${prefix}${service}/`);
      const row = { what: 'Service-linked role', needed: service, found: isThere ? 'there' : 'none' };
      return found(row, isThere ? 'there' : 'missing', [
        `$ aws iam create-service-linked-role --aws-service-name ${service}${profileOption(command.profile)}`,
      ]);
    });
  },
};
