// The public address of a stage: its domain, or the name of a distribution that is created after the functions.
// Decision D109.
import { Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stage-settings.ts';

/**
 * API, sign-in and web page have one origin. A domain is known from the beginning, so functions get it as a value. A
 * change of the domain changes the functions, so none keeps the address that it read at start. Without a domain,
 * CloudFront chooses the address once. Functions then get only the name of a parameter, so that their stacks do not
 * depend on the distribution in front of them. The stack Delivery writes the parameter (`announce`). Functions refuse
 * to start until it has been deployed once.
 */
export class PublicOrigin {
  readonly #parameterName: string;
  readonly #domain: StageSettings['domain'];

  /** @param stageName part of the parameter's name, as stages may share an account and region */
  constructor(stageName: string, { domain }: StageSettings) {
    this.#parameterName = `/loop-streaming-platform/${stageName}/public-origin`;
    this.#domain = domain;
  }

  /**
   * The variable of a function: the address without a trailing slash, or `ssm:` and the name of the parameter, which
   * the function reads once at start.
   */
  get reference(): string {
    return this.#domain === null ? `ssm:${this.#parameterName}` : `https://${this.#domain.name}`;
  }

  /**
   * Lets a role read the parameter by its name: `grantRead` of the parameter itself would make the role's stack depend
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
   * Writes the parameter if functions read it. Otherwise it does not exist: a stage that gives up its domain then has
   * functions that wait for the new address, instead of some that keep the old one.
   * @param url HTTPS URL without a trailing slash
   */
  announce(scope: Construct, url: string): void {
    if (this.#domain === null)
      new StringParameter(scope, 'PublicOrigin', { parameterName: this.#parameterName, stringValue: url });
  }
}
