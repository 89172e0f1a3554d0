// A stage's resources as a graph of dependencies, as CloudFormation and the deploy command wait for them.
import type { Resource, SynthesizedStage } from './synth.ts';

export interface GraphResource extends Resource {
  /** STACK/LOGICAL-ID, the stack by its construct id. */
  readonly id: string;
  readonly stackId: string;
  readonly logicalId: string;
}

/**
 * Resources by STACK/LOGICAL-ID, and the edges from each to those that must exist before it. Deletion runs in reverse
 * order, both in CloudFormation and in the command that destroys stacks.
 */
export class TemplateGraph {
  readonly resources: ReadonlyMap<string, GraphResource>;
  readonly #stage: Pick<SynthesizedStage, 'stacks' | 'template'>;
  readonly #edges = new Map<string, ReadonlySet<string>>();
  readonly #awaited = new Map<string, ReadonlySet<string>>();
  /** Ids of stacks by their names in CloudFormation. */
  readonly #stackIds: ReadonlyMap<string, string>;
  /** Values of exports and outputs, by `export NAME` and `output STACK-NAME NAME`. */
  readonly #outputs: ReadonlyMap<string, { readonly stackId: string; readonly value: unknown }>;

  constructor(stage: Pick<SynthesizedStage, 'stacks' | 'template'>) {
    this.#stage = stage;
    const stacks = [...stage.stacks].map(
      ([stackId, stack]) => [stackId, stack.stackName, stage.template(stackId)] as const,
    );
    this.#stackIds = new Map(stacks.map(([stackId, stackName]) => [stackName, stackId]));
    this.resources = new Map(
      stacks.flatMap(([stackId, , { Resources }]) =>
        Object.entries(Resources).map(([logicalId, resource]) => {
          const id = `${stackId}/${logicalId}`;
          return [id, { ...resource, id, stackId, logicalId }] as const;
        }),
      ),
    );
    this.#outputs = new Map(
      stacks.flatMap(([stackId, stackName, { Outputs = {} }]) =>
        Object.entries(Outputs).flatMap(([name, { Value: value, Export: exported }]) => [
          [`output ${stackName} ${name}`, { stackId, value }] as const,
          ...(exported ? [[`export ${exported.Name}`, { stackId, value }] as const] : []),
        ]),
      ),
    );
    for (const resource of this.resources.values()) this.#edges.set(resource.id, this.#edgesOf(resource));
    for (const [stackId, stack] of stage.stacks) {
      const behind = stack.dependencies.map((dependency) => this.#idOfStack(dependency.stackName));
      this.#edges.set(`${stackId} begins`, new Set(behind.map((id) => `${id} is complete`)));
      const own = [...this.resources.values()].filter((resource) => resource.stackId === stackId);
      this.#edges.set(`${stackId} is complete`, new Set([`${stackId} begins`, ...own.map(({ id }) => id)]));
    }
  }

  ofType(type: string): readonly GraphResource[] {
    return [...this.resources.values()].filter(({ Type }) => Type === type);
  }

  /** All resources that exist before a resource is created and are deleted after it, directly or indirectly. */
  awaitedBy(id: string): ReadonlySet<string> {
    const known = this.#awaited.get(id);
    if (known) return known;
    const awaited = new Set<string>();
    const open = [...(this.#edges.get(id) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (awaited.has(next)) continue;
      awaited.add(next);
      open.push(...(this.#edges.get(next) ?? []));
    }
    this.#awaited.set(id, awaited);
    return awaited;
  }

  /** Resources that would wait for themselves. CloudFormation refuses these. */
  cycles(): readonly string[] {
    return [...this.#edges.keys()].filter((id) => this.awaitedBy(id).has(id));
  }

  /**
   * The resources that a value names, in any stack.
   * @param stackId of the stack whose template has the value
   * @throws if the value names a resource that no template has
   */
  namedIn(value: unknown, stackId: string): readonly string[] {
    if (Array.isArray(value)) return value.flatMap((item) => this.namedIn(item, stackId));
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, argument]) => {
      if (key === 'Ref') return this.#idOf(argument, stackId);
      if (key === 'Fn::GetAtt') return this.#idOf([argument].flat()[0].split('.')[0], stackId);
      if (key === 'Fn::Sub') return this.#namedInText(argument, stackId);
      if (key === 'Fn::ImportValue') return this.#namedByOutput(`export ${argument}`);
      if (key === 'Fn::GetStackOutput')
        return this.#namedByOutput(`output ${argument.StackName} ${argument.OutputName}`);
      return this.namedIn(argument, stackId);
    });
  }

  /** The single resource that a value names. @throws if it names none or several */
  resourceIn(value: unknown, stackId: string): GraphResource {
    const [id, ...others] = new Set(this.namedIn(value, stackId));
    const resource = this.resources.get(id ?? '');
    if (!resource || others.length > 0) throw new Error(`${JSON.stringify(value)} in ${stackId} is not one resource`);
    return resource;
  }

  #edgesOf({ stackId, Properties, DependsOn }: GraphResource): ReadonlySet<string> {
    const dependencies = [DependsOn ?? []].flat().flatMap((logicalId) => this.#idOf(logicalId, stackId));
    return new Set([...this.namedIn(Properties, stackId), ...dependencies, `${stackId} begins`]);
  }

  /**
   * `${Name}` and `${Name.Attribute}` of a text, except names to which the function's second argument gives a value.
   */
  #namedInText(argument: string | [string, Readonly<Record<string, unknown>>], stackId: string): readonly string[] {
    const [text, variables] = typeof argument === 'string' ? [argument, {}] : argument;
    const names = [...text.matchAll(/\$\{([^!}.]+)[^}]*\}/g)].map(([, name = '']) => name);
    return [
      ...names.filter((name) => !(name in variables)).flatMap((name) => this.#idOf(name, stackId)),
      ...this.namedIn(variables, stackId),
    ];
  }

  #namedByOutput(name: string): readonly string[] {
    const output = this.#outputs.get(name);
    if (!output) throw new Error(`no stack has the ${name}`);
    return this.namedIn(output.value, output.stackId);
  }

  #idOf(name: string, stackId: string): readonly string[] {
    const id = `${stackId}/${name}`;
    if (this.resources.has(id)) return [id];
    const parameters = (this.#stage.template(stackId) as { Parameters?: object }).Parameters ?? {};
    if (name.startsWith('AWS::') || name in parameters) return [];
    throw new Error(`the stack ${stackId} has no ${name}`);
  }

  #idOfStack(stackName: string): string {
    const stackId = this.#stackIds.get(stackName);
    if (stackId === undefined) throw new Error(`the stage has no stack ${stackName}`);
    return stackId;
  }
}
