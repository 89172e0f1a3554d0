// Service-linked roles: services that CloudFormation calls early cannot wait until their own role is created.
import { z } from 'zod';
import { serviceOfAWS } from '../../../lambda/domain/shared/aws-partition.ts';
import { orAbsent, type Check, type CheckContext, type Finding, profileOption, xmlList } from '../check.ts';

/** Roles by the service that assumes them. Each is created once in an account, for all of its regions. */
export const linkedRoles: Readonly<Record<string, { readonly name: string; readonly usedBy: readonly string[] }>> = {
  [serviceOfAWS('ecs')]: {
    // https://docs.aws.amazon.com/AmazonECS/latest/developerguide/using-service-linked-roles.html
    name: 'AWSServiceRoleForECS',
    usedBy: ['AWS::ECS::Cluster', 'AWS::ECS::CapacityProvider', 'AWS::ECS::Service'],
  },
  [serviceOfAWS('ecs.application-autoscaling')]: {
    // https://docs.aws.amazon.com/autoscaling/application/userguide/application-auto-scaling-service-linked-roles.html
    name: 'AWSServiceRoleForApplicationAutoScaling_ECSService',
    usedBy: ['AWS::ApplicationAutoScaling::ScalableTarget'],
  },
  [serviceOfAWS('autoscaling')]: {
    // https://docs.aws.amazon.com/autoscaling/ec2/userguide/autoscaling-service-linked-role.html
    name: 'AWSServiceRoleForAutoScaling',
    usedBy: ['AWS::AutoScaling::AutoScalingGroup'],
  },
  [serviceOfAWS('rds')]: {
    // https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.IAM.ServiceLinkedRoles.html
    name: 'AWSServiceRoleForRDS',
    usedBy: ['AWS::RDS::DBInstance', 'AWS::RDS::DBProxy'],
  },
};

const services = Object.keys(linkedRoles);
const rolesAnswer = z.object({
  ListRolesResponse: z.object({
    ListRolesResult: z.object({
      Roles: xmlList('member', z.object({ Path: z.string() })),
      Marker: z.string().optional(),
    }),
  }),
});
const pagesMax = 20;

export const serviceLinkedRoles: Check = {
  name: 'Service-linked roles',
  async run(context) {
    const missing = await missingLinkedRoles(context);
    return services.map((service) => linkedRoleFinding(service, { isThere: !missing.includes(service) }, context));
  },
};

/** @throws {Unanswered} */
export async function missingLinkedRoles({ ask }: CheckContext): Promise<readonly string[]> {
  const paths: string[] = [];
  let marker: string | undefined;
  for (let page = 1; page <= pagesMax; page++) {
    const { ListRolesResponse: answer } = await ask({
      service: 'iam',
      action: 'ListRoles',
      input: { PathPrefix: '/aws-service-role/', ...(marker !== undefined && { Marker: marker }) },
      answer: rolesAnswer,
    });
    paths.push(...answer.ListRolesResult.Roles.map(({ Path }) => Path));
    marker = answer.ListRolesResult.Marker || undefined;
    if (marker === undefined) break;
  }
  return services.filter((service) => !paths.includes(`/aws-service-role/${service}/`));
}

export function linkedRoleFinding(
  service: string,
  { isThere }: { readonly isThere: boolean },
  { command }: CheckContext,
): Finding {
  const row = { what: 'Service-linked role', needed: service };
  if (isThere) return { ...row, found: 'there', state: 'there', remedy: [] };
  const create = `$ aws iam create-service-linked-role --aws-service-name ${service}${profileOption(command.profile)}`;
  return { ...row, found: 'none', state: 'missing', remedy: [create] };
}

/** @throws {Unanswered} */
export async function makeLinkedRole(service: string, { ask }: CheckContext): Promise<void> {
  const made = ask({
    service: 'iam',
    action: 'CreateServiceLinkedRole',
    input: { AWSServiceName: service },
    answer: z.unknown(),
  });
  // Another process may have created it meanwhile: then the name is taken.
  await orAbsent(made, 'InvalidInput', 'EntityAlreadyExists');
}
