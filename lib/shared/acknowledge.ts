// Findings of the checks at synth that we accept, each on the construct it is about and with the reason.
import { CfnResource, Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings on a construct and everything below it. test/stacks lists them all, so a new one is seen in review.
 * @param ids rules of cdk-nag (its RULES.md) or of CloudFormation Validate; a rule with several findings takes them one by one, with `[…]`
 */
export function acknowledge(construct: IConstruct, reason: string, ...ids: string[]): void {
  Validations.of(construct).acknowledge(...ids.map((id) => ({ id, reason })));
}

/** Accepts findings of checkov on the resource of a construct: in its metadata, where checkov looks for them. @param ids such as `CKV_AWS_27` */
export function acknowledgeForCheckov(construct: IConstruct, reason: string, ...ids: string[]): void {
  const resource = CfnResource.isCfnResource(construct) ? construct : construct.node.defaultChild;
  if (!CfnResource.isCfnResource(resource)) throw new Error(`${construct.node.path} is no resource, nor has one`);
  const before: { skip?: object[] } | undefined = resource.getMetadata('checkov');
  resource.addMetadata('checkov', { skip: [...(before?.skip ?? []), ...ids.map((id) => ({ id, comment: reason }))] });
}

/** Accepts what checks say of the function that the CDK brings for a custom resource. @param provider the construct or resource of that function */
export function acknowledgeCdkFunction(provider: IConstruct): void {
  acknowledgeForCheckov(
    provider,
    'The CDK’s own: called at deployments only, which see its failure, and it calls AWS only.',
    'CKV_AWS_115',
    'CKV_AWS_116',
    'CKV_AWS_117',
  );
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
