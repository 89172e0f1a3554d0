// Separates stages that share an account: the roles that deploy one stage cannot change the others.
// A qualifier of `cdk bootstrap` only renames the deploy role, which may change every stack of the account.
import { Stack } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { bootstrapRoleName, type BootstrapRoleKind } from '../shared/bootstrap-roles.ts';
import { stageTagKey } from '../shared/stage-tags.ts';
import type { StageSettings } from '../stage-settings.ts';
import { regionsOf } from '../shared/stage-regions.ts';

export interface StageFenceProps {
  readonly settings: StageSettings;
  /** The other stages of the account, by name. */
  readonly others: Readonly<Record<string, StageSettings>>;
}

const deploying: readonly BootstrapRoleKind[] = ['deploy', 'cfn-exec'];
const changesOfRights = ['Attach', 'Create', 'Delete', 'Detach', 'Put', 'Tag', 'Untag', 'Update'];

/**
 * The deploy role of `cdk bootstrap` may change and delete every stack of the account, and the role for CloudFormation
 * may do anything. So the fence denies both roles the stacks of other stages, the resources with their tag or name
 * prefix, and the roles that deploy them. It protects from mistakes, not from attacks: a user who may change the
 * templates of a stage can create a role that the fence does not know. Use an account for each stage against attacks.
 */
export class StageFence extends Construct {
  constructor(scope: Construct, id: string, { settings, others }: StageFenceProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const { account } = stack;
    const arn = (service: string, region: string, resource: string) =>
      `arn:${stack.partition}:${service}:${region}:${service === 's3' ? '' : account}:${resource}`;
    const names = Object.keys(others);
    const named = names.flatMap((name) => [
      arn('cloudformation', '*', `stack/${name}-*`),
      arn('iam', '', `role/${name}-*`),
      arn('iam', '', `policy/${name}-*`),
      arn('lambda', '*', `function:${name}-*`),
      arn('sqs', '*', `${name}-*`),
      arn('sns', '*', `${name}-*`),
      arn('ssm', '*', `parameter/${name}-*`),
      arn('ssm', '*', `parameter/loop-streaming-platform/${name}/*`),
      arn('s3', '', `${name}-*`),
    ]);
    const ownRoles = new Set(deploying.map((kind) => bootstrapRoleName(settings, kind, account, '*')));
    const rolesOfOthers = Object.values(others)
      .flatMap((other) => [
        bootstrapRoleName(other, 'deploy', account, '*'),
        bootstrapRoleName(other, 'cfn-exec', account, '*'),
      ])
      .filter((name) => !ownRoles.has(name))
      .map((name) => arn('iam', '', `role/${name}`));
    const deny = (actions: string[], resources: string[], conditions?: Record<string, Record<string, string[]>>) =>
      new PolicyStatement({ effect: Effect.DENY, actions, resources, ...(conditions && { conditions }) });
    const regions = regionsOf(settings);
    new ManagedPolicy(this, 'Policy', {
      roles: regions.flatMap((region) =>
        deploying.map((kind) =>
          Role.fromRoleName(this, `${kind}-${region}`, bootstrapRoleName(settings, kind, account, region)),
        ),
      ),
      statements: [
        deny(['*'], named),
        deny(['*'], ['*'], { StringEquals: { [`aws:ResourceTag/${stageTagKey}`]: names } }),
        ...(rolesOfOthers.length > 0 ? [deny(['sts:AssumeRole', 'iam:PassRole'], rolesOfOthers)] : []),
        // A deployment must not remove the fence.
        deny(
          changesOfRights.map((verb) => `iam:${verb}*`),
          [arn('iam', '', 'role/cdk-*'), arn('iam', '', `policy/${stack.stackName}-*`)],
        ),
      ],
    });
  }
}
