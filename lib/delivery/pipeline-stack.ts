// Resources of an account for the GitHub workflow: the image repository, and a role for each environment.
import { Arn, CfnOutput, CliCredentialsStackSynthesizer, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Repository, TagMutability, TagStatus } from 'aws-cdk-lib/aws-ecr';
import { FederatedPrincipal, OidcProviderNative, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { serviceOfAWS } from '../../lambda/domain/shared/aws-partition.ts';
import { acknowledge, acknowledgeForCheckov, wildcardResource } from '../shared/acknowledge.ts';
import { type BootstrapRoleKind, bootstrapRoleName } from '../shared/bootstrap-roles.ts';
import { imageRepositoryName } from '../shared/publisher-image.ts';
import type { StageSettings } from '../stage-settings.ts';
import { checkStatements } from './check-rights.ts';
import { StageFence } from './stage-fence.ts';

export interface PipelineStackProps {
  /** OWNER/NAME on GitHub. Only the workflows of this repository may assume the roles. */
  readonly githubRepository: string;
  /**
   * The account's only provider for GitHub. Null: there is none, so the stack creates it.
   */
  readonly githubProviderArn: string | null;
  /** The stages of the account. Each has a role, which the GitHub environment with the stage's name may assume. */
  readonly stages: Readonly<Record<string, StageSettings>>;
}

/** The audience that the workflow's step requests from GitHub, in every partition. */
const audience = serviceOfAWS('sts');
const issuer = 'token.actions.githubusercontent.com';
const providerPattern = /^arn:[\w-]+:iam::\d{12}:oidc-provider\/token\.actions\.githubusercontent\.com$/;

/** An administrator deploys this stack once in each account. Before that, the workflow has no rights there. */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { githubRepository, githubProviderArn, stages }: PipelineStackProps) {
    // Deployed with the administrator's own rights: the fences keep the roles of the bootstrap from changing it.
    super(scope, id, { terminationProtection: true, synthesizer: new CliCredentialsStackSynthesizer() });
    if (!/^[\w.-]+\/[\w.-]+$/.test(githubRepository))
      throw new Error(`-c githubRepository=OWNER/NAME, not ${JSON.stringify(githubRepository)}`);

    if (githubProviderArn !== null && !providerPattern.test(githubProviderArn))
      throw new Error(
        `-c githubProviderArn=arn:PARTITION:iam::ACCOUNT:oidc-provider/${issuer}, not ${githubProviderArn}`,
      );

    const images = new Repository(this, 'Images', {
      repositoryName: imageRepositoryName,
      imageTagMutability: TagMutability.IMMUTABLE,
      imageScanOnPush: true,
      // Images expire by their number, not by their age: a release runs until the next one is deployed. A release is an
      // index with a tag, and an image for each architecture. ECR does not delete these images while the index exists.
      lifecycleRules: [
        { tagStatus: TagStatus.TAGGED, tagPatternList: ['*'], maxImageCount: 300 },
        { tagStatus: TagStatus.UNTAGGED, maxImageAge: Duration.days(1) },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acknowledgeForCheckov(images, 'Encrypted with ECR’s own key; images hold no secret.', 'CKV_AWS_136');
    const github =
      githubProviderArn === null
        ? new OidcProviderNative(this, 'GitHub', { url: `https://${issuer}`, clientIds: [audience] })
        : OidcProviderNative.fromOidcProviderArn(this, 'GitHub', githubProviderArn);
    // The role is bound to an environment, not to a branch: GitHub lets a job use an environment only from its allowed
    // branches, and after its approvals.
    const roleFor = (roleId: string, environment: string): Role => {
      const principal = new FederatedPrincipal(
        github.oidcProviderArn,
        {
          StringEquals: {
            [`${issuer}:aud`]: audience,
            [`${issuer}:sub`]: `repo:${githubRepository}:environment:${environment}`,
          },
        },
        'sts:AssumeRoleWithWebIdentity',
      );
      const role = new Role(this, roleId, {
        assumedBy: principal,
        maxSessionDuration: Duration.hours(3),
        description: `GitHub environment ${environment} of ${githubRepository}`,
      });
      new CfnOutput(this, `${roleId}Arn`, { value: role.roleArn });
      return role;
    };

    const builder = roleFor('ImagesRole', 'images');
    images.grantPullPush(builder);
    images.grant(builder, 'ecr:DescribeImageScanFindings', 'ecr:DescribeImages');
    acknowledge(
      builder,
      'ECR gives out its sign-in token for all repositories only.',
      'AwsSolutions-IAM5[Resource::*]',
    );

    const reader = roleFor('DiffRole', 'diff');
    images.grant(reader, 'ecr:DescribeImages');
    this.#allowBootstrapRoles(reader, Object.values(stages), ['lookup']);

    for (const [stage, settings] of Object.entries(stages)) {
      const deployer = roleFor(`Deploy-${stage}`, stage);
      this.#allowBootstrapRoles(deployer, [settings], ['deploy', 'file-publishing', 'lookup']);
      this.#allowChecks(deployer);
      const others = Object.fromEntries(Object.entries(stages).filter(([name]) => name !== stage));
      if (Object.keys(others).length > 0) new StageFence(this, `Fence-${stage}`, { settings, others });
    }
  }

  /** Grants a role the reads of `npm run deploy -- STAGE --check`. */
  #allowChecks(role: Role): void {
    const parameters = Arn.format(
      { service: 'ssm', region: '*', resource: 'parameter', resourceName: 'cdk-bootstrap/*' },
      this,
    );
    for (const statement of checkStatements(parameters)) role.addToPolicy(statement);
    acknowledge(
      role,
      'The checks before a deployment ask about the account as a whole, and change nothing.',
      'AwsSolutions-IAM5[Resource::*]',
      wildcardResource(this, parameters),
    );
  }

  /**
   * Lets a role assume the roles that `cdk bootstrap` has created for stages, which do the deployment. Their rights are
   * those given to the bootstrap, reduced by the fence of the stage.
   */
  #allowBootstrapRoles(role: Role, stages: readonly StageSettings[], kinds: readonly BootstrapRoleKind[]): void {
    const names = stages.flatMap((settings) =>
      kinds.map((kind) => bootstrapRoleName(settings, kind, this.account, '*')),
    );
    const arns = [...new Set(names)].map((resourceName) =>
      Arn.format({ service: 'iam', region: '', account: this.account, resource: 'role', resourceName }, this),
    );
    if (arns.length === 0) return;
    role.addToPolicy(new PolicyStatement({ actions: ['sts:AssumeRole'], resources: arns }));
    acknowledge(
      role,
      'The roles of cdk bootstrap, in each region that a stage uses.',
      ...arns.map((arn) => wildcardResource(this, arn)),
    );
  }
}
