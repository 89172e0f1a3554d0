// What the costs are computed from: the resources of a stage's templates, and how one finds another.

/** A CloudFormation template, as far as costs need it. */
export interface Template {
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
}

export interface TemplateResource {
  readonly Type: string;
  /** Any: a template's properties have no type. */
  readonly Properties?: any;
}

/** A resource with the logical id that others of its stack name it by. */
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
