// Findings of the checks at synth that we accept, each on the construct it is about and with the reason.
import { Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings on a construct and everything below it. test/stacks lists them all, so a new one is seen in review.
 * @param ids rules of cdk-nag (its RULES.md) or of CloudFormation Validate; a rule with several findings takes them one by one, with `[…]`
 */
export function acknowledge(construct: IConstruct, reason: string, ...ids: string[]): void {
  Validations.of(construct).acknowledge(...ids.map((id) => ({ id, reason })));
}

/** Id of cdk-nag's finding that a policy names resources with a wildcard. @param arn of resources in the same stack as `scope` */
export function wildcardResource(scope: IConstruct, arn: string): string {
  return `AwsSolutions-IAM5[Resource::${flattened(Stack.of(scope).resolve(arn))}]`;
}

/** As cdk-nag writes a value of a template: `<LogicalId.Attribute>` for what is known at deployment only. */
function flattened(value: TemplateValue): string {
  if (typeof value === 'string') return value;
  if ('Fn::Join' in value) return value['Fn::Join'][1].map(flattened).join(value['Fn::Join'][0]);
  return 'Ref' in value ? `<${value.Ref}>` : `<${value['Fn::GetAtt'].join('.')}>`;
}

type TemplateValue =
  | string
  | { readonly Ref: string }
  | { readonly 'Fn::GetAtt': readonly [logicalId: string, attribute: string] }
  | { readonly 'Fn::Join': readonly [separator: string, parts: readonly TemplateValue[]] };
