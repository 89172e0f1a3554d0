// The address the public reaches a stage at, kept in a parameter, because the functions behind it are made before it is known.
import { Stack } from 'aws-cdk-lib';
import { type ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';

/**
 * One origin for API, sign-in and web page. Functions know the parameter's name only, so no stack depends on what is in front of it.
 * The parameter is written by one stack (`publish`), which comes last; until its first deployment is done, functions refuse to start.
 */
export class PublicOrigin {
  readonly #parameterName: string;

  /** @param stageName parts the parameters of stages that share an account and region */
  constructor(stageName: string) {
    this.#parameterName = `/loop-streaming-platform/${stageName}/public-origin`;
  }

  /** For a function's environment instead of the address itself: `ssm:` and the parameter's name. Read once, when the function starts. */
  get reference(): string {
    return `ssm:${this.#parameterName}`;
  }

  /** Lets a policy's holders read it. By name: the parameter's own `grantRead` would make their stack depend on it. */
  grantRead(policy: ManagedPolicy): void {
    const parameterArn = Stack.of(policy).formatArn({
      service: 'ssm',
      resource: 'parameter',
      resourceName: this.#parameterName.slice(1),
    });
    policy.addStatements(new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [parameterArn] }));
  }

  /** Writes it. @param url https address without a trailing slash; a path is allowed */
  publish(scope: Construct, url: string): void {
    new StringParameter(scope, 'PublicOrigin', { parameterName: this.#parameterName, stringValue: url });
  }
}
