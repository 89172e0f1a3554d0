// The public address of a stage: its domain, or what CloudFront calls a distribution that is made after the functions.
import { Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stage-settings.ts';

/**
 * API, sign-in and web page have one origin. A domain is known from the beginning, and functions get it as it is: a
 * change of it changes the functions, so none goes on with the address that it read when it started. Without a domain
 * CloudFront chooses the address, once and for all. Functions are then told only the name of a parameter, so their
 * stacks do not depend on the distribution in front of them; the stack Delivery writes it (`announce`). Functions
 * refuse to start until it has been deployed once.
 */
export class PublicOrigin {
  readonly #parameterName: string;
  readonly #domain: StageSettings['domain'];

  /** @param stageName is part of the parameter's name, as stages may share an account and region */
  constructor(stageName: string, { domain }: StageSettings) {
    this.#parameterName = `/loop-streaming-platform/${stageName}/public-origin`;
    this.#domain = domain;
  }

  /**
   * What a function gets as a variable: the address without a trailing slash, or `ssm:` and the name of the parameter,
   * which the function reads once, when it starts.
   */
  get reference(): string {
    return this.#domain === null ? `ssm:${this.#parameterName}` : `https://${this.#domain.name}`;
  }

  /**
   * Lets a role read the parameter, by its name: `grantRead` of the parameter itself would make the role's stack depend
   * on the stack Delivery.
   */
  grantRead(role: IRole): void {
    if (this.#domain !== null) return;
    const parameterArn = Stack.of(role).formatArn({
      service: 'ssm',
      resource: 'parameter',
      resourceName: this.#parameterName.slice(1),
    });
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [parameterArn] }));
  }

  /**
   * Writes the parameter where functions read it. Where they do not there is none: a stage that gives up its domain has
   * functions that wait for the new address, instead of some that go on with the old one.
   * @param url https address without a trailing slash
   */
  announce(scope: Construct, url: string): void {
    if (this.#domain === null)
      new StringParameter(scope, 'PublicOrigin', { parameterName: this.#parameterName, stringValue: url });
  }
}
