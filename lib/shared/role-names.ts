// Names of roles, where a company has rules for them: they begin with the stage's prefix.
import { CfnResource, type IAspect, Names } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const nameLength = 64;

/**
 * Names every role, also those that the CDK makes for its own functions. A role whose name is given cannot be replaced
 * under it, and one that a destroyed stage has left has to be deleted before the stage is made again.
 */
export class RoleNames implements IAspect {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  visit(node: IConstruct): void {
    if (!CfnResource.isCfnResource(node) || node.cfnResourceType !== 'AWS::IAM::Role') return;
    const maxLength = nameLength - this.#prefix.length;
    const name = Names.uniqueResourceName(node, { maxLength, separator: '-', allowedSpecialCharacters: '-' });
    node.addPropertyOverride('RoleName', `${this.#prefix}${name}`);
  }
}
