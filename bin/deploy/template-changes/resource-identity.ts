// Names by which a service tells resources apart.
import { unique } from './resource-rules.ts';
import type { TemplateResource } from './stage-templates.ts';

/** What names the resource beside its type, as text; null if CloudFormation gives it a name of its own. */
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
