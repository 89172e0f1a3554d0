// The CloudFront function that restores the name of challenges: in us-east-1, without variables or rights.
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { CompositePrincipal, type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime, type Version } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import { bundledCode } from '../shared/bundled-code.ts';

/**
 * CloudFront restricts its functions: x86, no VPC, no tracing, no variables, a numbered version, and only some
 * runtimes. Node 22 is the newest one in the list that AWS published when this was written; others report functions
 * with Node 24. Lambda creates no functions with Node 22 from 1 June 2027 on: check the list again before.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-at-edge-function-restrictions.html
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html
 */
export class ChallengeFunction extends Construct {
  /** Its logical id contains a hash of the code, so a stack that names it changes with it. */
  readonly version: Version;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    // Otherwise the CDK creates a log group, which stays empty.
    this.node.setContext('@aws-cdk/aws-lambda:useCdkManagedLogGroup', false);
    const fn = new LambdaFunction(this, 'Function', {
      description: 'Gives the answers of the API their header WWW-Authenticate back',
      code: bundledCode('edge/challenge.lambda.ts', {}),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_22_X,
      architecture: Architecture.X86_64,
      memorySize: 128,
      timeout: Duration.seconds(1),
      role: this.#roleWithoutRights(),
      // A deletion fails while CloudFront still has copies, for hours after the distribution is gone. A version whose
      // deployment is rolled back has none yet, and goes: else the next attempt would find no change to publish.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    fn.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    const reason = 'CloudFront runs it, which knows no VPC, reservation or queue of failures for its functions.';
    acknowledgeForCheckov(fn, reason, 'CKV_AWS_50', 'CKV_AWS_115', 'CKV_AWS_116', 'CKV_AWS_117');
    acknowledge(fn, 'AWS lists no newer runtime for functions at CloudFront.', 'AwsSolutions-L1');
    this.version = fn.currentVersion;
  }

  /**
   * The function calls no service. Without the right to write logs it writes none: they would have a line for every
   * request, in log groups that never expire, in every region with viewers. CloudFront's metrics show errors.
   */
  #roleWithoutRights(): IRole {
    const role = new Role(this, 'Role', {
      assumedBy: new CompositePrincipal(new ServicePrincipal('lambda'), new ServicePrincipal('edgelambda')),
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    return role;
  }
}
