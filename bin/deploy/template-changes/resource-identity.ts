// Names that distinguish resources of one type.
import { unique } from './resource-rules.ts';
import type { TemplateResource } from './stage-templates.ts';

/** The name of the resource within its type, as text; null if CloudFormation chooses it. */
export function identityOf(resource: TemplateResource): string | null {
  const parts = identityParts(resource);
  return parts[0] === undefined ? null : JSON.stringify(parts.map((part) => part ?? null));
}

export function identityParts({ Type, Properties = {} }: TemplateResource): readonly unknown[] {
  return (unique[Type] ?? []).map((path) =>
    path.split('.').reduce((value: any, name) => value?.[name], Properties as unknown),
  );
}

/** Whether CloudFormation leaves a resource with this policy in the account, under its name. */
export function isLeftBehind(policy: string | undefined): boolean {
  return policy === 'Retain' || policy === 'RetainExceptOnCreate';
}

/** A type for people: `S3::Bucket`. */
export function nameOfType(type: string): string {
  return type.replace(/^AWS::/, '');
}
