// The resources of a stage's templates, from which costs are computed, and how one resource finds another.

/** The part of a CloudFormation template that costs depend on. */
export interface Template {
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
}

export interface TemplateResource {
  readonly Type: string;
  /** `any`, since the properties in a template have no type. */
  readonly Properties?: any;
}

/** A resource with its logical id, by which others of its stack name it. */
export interface StageResource {
  readonly id: string;
  readonly type: string;
  readonly properties: any;
  readonly stack: Readonly<Record<string, TemplateResource>>;
}

/** All resources of the templates, stack by stack. */
export function resourcesOf(templates: readonly Template[]): StageResource[] {
  return templates.flatMap(({ Resources: stack = {} }) =>
    Object.entries(stack).map(([id, { Type, Properties }]) => ({
      id,
      type: Type,
      properties: Properties ?? {},
      stack,
    })),
  );
}

/**
 * The resource of the same stack that a `Ref` or an `Fn::GetAtt` names.
 * @throws if the value is anything else, or names a resource of another stack
 */
export function referred({ id, stack }: StageResource, value: any): StageResource {
  const target: string = value?.Ref ?? value?.['Fn::GetAtt']?.[0];
  const found = stack[target];
  if (!found) throw new Error(`${id} does not refer to a resource of its stack: ${JSON.stringify(value)}`);
  return { id: target, type: found.Type, properties: found.Properties ?? {}, stack };
}

/** Resources of a type in the same stack. */
export function neighbours({ stack }: StageResource, type: string): StageResource[] {
  return resourcesOf([{ Resources: stack }]).filter((resource) => resource.type === type);
}
