// The public address of a stage: its domain, or the name of a distribution that is created after the functions.
// Decision D173.
import { Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stage-settings.ts';

/**
 * API, sign-in and web page have one origin. Functions get the name of a parameter, so that their stacks do not depend
 * on the distribution in front of them, and follow its value (lambda/ports/aws/public-origin.ts). The stack Delivery
 * writes the parameter (`announce`) after the distribution serves the address. Until Delivery has been deployed once,
 * the domain holds; functions of a stage without a domain refuse to start.
 */
export class PublicOrigin {
  readonly #parameterName: string;
  readonly #domain: StageSettings['domain'];

  /** @param stageName part of the parameter's name, as stages may share an account and region */
  constructor(stageName: string, { domain }: StageSettings) {
    this.#parameterName = `/loop-streaming-platform/${stageName}/public-origin`;
    this.#domain = domain;
  }

  /** The variable of a function: `OriginEnvironment` of lambda/ports/aws/public-origin.ts. */
  get reference(): string {
    const parameter = `ssm:${this.#parameterName}`;
    return this.#domain === null ? parameter : `${parameter},https://${this.#domain.name}`;
  }

  /**
   * Lets a role read the parameter by its name: `grantRead` of the parameter itself would make the role's stack depend
   * on the stack Delivery.
   */
  grantRead(role: IRole): void {
    const parameterArn = Stack.of(role).formatArn({
      service: 'ssm',
      resource: 'parameter',
      resourceName: this.#parameterName.slice(1),
    });
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [parameterArn] }));
  }

  /** Writes the parameter. @param url HTTPS URL without a trailing slash */
  announce(scope: Construct, url: string): void {
    new StringParameter(scope, 'PublicOrigin', { parameterName: this.#parameterName, stringValue: url });
  }
}
