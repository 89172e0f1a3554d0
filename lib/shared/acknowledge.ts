// Accepts findings of the checks, each at its construct and with a reason.
import { CfnResource, Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings on a construct and on everything below it. test/stacks/accepted-findings.txt lists them all, so that
 * reviewers see a new one.
 * @param ids ids of rules of cdk-nag (its RULES.md) or of CloudFormation Validate. For a rule with several findings,
 *   each is accepted separately: RULE[FINDING]
 */
export function acknowledge(construct: IConstruct, reason: string, ...ids: string[]): void {
  Validations.of(construct).acknowledge(...ids.map((id) => ({ id, reason })));
}

/**
 * Accepts findings of checkov on the resource of a construct. They are written into the resource's metadata, as checkov
 * expects.
 * @param ids ids of checkov, such as `CKV_AWS_27`
 */
export function acknowledgeForCheckov(construct: IConstruct, reason: string, ...ids: string[]): void {
  const resource = CfnResource.isCfnResource(construct) ? construct : construct.node.defaultChild;
  if (!CfnResource.isCfnResource(resource)) throw new Error(`${construct.node.path} is no resource, nor has one`);
  const before: { skip?: object[] } | undefined = resource.getMetadata('checkov');
  resource.addMetadata('checkov', { skip: [...(before?.skip ?? []), ...ids.map((id) => ({ id, comment: reason }))] });
}

/**
 * Accepts findings on a function that the CDK adds for a custom resource.
 * @param provider the construct or the resource of that function
 */
export function acknowledgeCdkFunction(provider: IConstruct): void {
  acknowledgeForCheckov(
    provider,
    'The CDK’s own: called at deployments only, which see its failure, and it calls AWS only.',
    'CKV_AWS_115',
    'CKV_AWS_116',
    'CKV_AWS_117',
  );
}

/**
 * @param arn ARN with a wildcard, of resources in the same stack as `scope`
 * @returns the id of cdk-nag's finding that a policy grants rights on these resources
 */
export function wildcardResource(scope: IConstruct, arn: string): string {
  return `AwsSolutions-IAM5[Resource::${flattened(Stack.of(scope).resolve(arn))}]`;
}

/** @returns the id of cdk-nag's finding that a role has this policy, which AWS provides for roles of its services */
export function policyOfAWS(name: string): string {
  return `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/${name}]`;
}

/** A value of a template as cdk-nag writes it: values known only at deployment become `<LogicalId.Attribute>`. */
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
