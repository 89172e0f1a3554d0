// What the GitHub workflow works with in an account: the image repository, and a role for each of its environments.
import { Arn, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Repository, TagMutability } from 'aws-cdk-lib/aws-ecr';
import { FederatedPrincipal, OidcProviderNative, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import { imageRepositoryName } from '../shared/publisher-image.ts';

export interface PipelineStackProps {
  /** OWNER/NAME on GitHub; only its workflows get the roles. */
  readonly githubRepository: string;
  /** Each gets a role that its GitHub environment of the same name may take on. */
  readonly stageNames: readonly string[];
}

const issuer = 'token.actions.githubusercontent.com';

/** Deployed by hand, once in each account, before the workflow can do anything. */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { githubRepository, stageNames }: PipelineStackProps) {
    super(scope, id, { terminationProtection: true });
    if (!/^[\w.-]+\/[\w.-]+$/.test(githubRepository))
      throw new Error(`-c githubRepository=OWNER/NAME, not ${JSON.stringify(githubRepository)}`);

    const images = new Repository(this, 'Images', {
      repositoryName: imageRepositoryName,
      imageTagMutability: TagMutability.IMMUTABLE,
      imageScanOnPush: true,
      // A release may run for as long as nobody deploys: only a count removes images, and it is generous.
      lifecycleRules: [{ maxImageCount: 300 }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acknowledgeForCheckov(images, 'Encrypted with ECR’s own key; images hold no secret.', 'CKV_AWS_136');
    const github = new OidcProviderNative(this, 'GitHub', {
      url: `https://${issuer}`,
      clientIds: ['sts.amazonaws.com'],
    });
    // By environment, not by branch: GitHub gives an environment only to the branches and after the approvals that it is set up with.
    const roleFor = (roleId: string, environment: string): Role => {
      const principal = new FederatedPrincipal(
        github.oidcProviderArn,
        {
          StringEquals: {
            [`${issuer}:aud`]: 'sts.amazonaws.com',
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
    this.#allowBootstrapRoles(reader, ['lookup']);

    for (const stage of stageNames)
      this.#allowBootstrapRoles(roleFor(`Deploy-${stage}`, stage), ['deploy', 'file-publishing', 'lookup']);
  }

  /** The CDK's own roles do the work (`cdk bootstrap`); they are as narrow as that was set up. */
  #allowBootstrapRoles(role: Role, kinds: readonly string[]): void {
    const arns = kinds.map((kind) =>
      Arn.format(
        {
          partition: 'aws',
          service: 'iam',
          region: '',
          account: this.account,
          resource: 'role',
          resourceName: `cdk-hnb659fds-${kind}-role-${this.account}-*`,
        },
        this,
      ),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['sts:AssumeRole'], resources: arns }));
    acknowledge(
      role,
      'The roles of cdk bootstrap, in each region that a stage uses.',
      ...kinds.map(
        (kind) =>
          `AwsSolutions-IAM5[Resource::arn:aws:iam::<AWS::AccountId>:role/cdk-hnb659fds-${kind}-role-<AWS::AccountId>-*]`,
      ),
    );
  }
}
