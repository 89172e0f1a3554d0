// The templates of a stage as comparisons read them: resources, exports, imports, and outputs that are only read.

export interface TemplateResource {
  readonly Type: string;
  /** The type is any, since the properties in a template have none. */
  readonly Properties?: Readonly<Record<string, any>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>
  >;
}

/** Templates by the ids of their stacks, such as `Publishing`. */
export type StageTemplates = ReadonlyMap<string, Template>;

export interface StageExport {
  readonly stack: string;
  /** The logical id of the output. */
  readonly output: string;
  readonly value: unknown;
}

/** An output that a stack reads without importing it, by `Fn::GetStackOutput`. */
export interface OutputRead {
  readonly stack: string;
  readonly output: string;
}

/** The stack id in a stack's name, which begins with the stage's: `Publishing` of `my-stage-Publishing`. */
export function stackIdOf(stackName: string): string {
  return /-([A-Z][^-]*)$/.exec(stackName)?.[1] ?? stackName;
}

/** Exports by their names. */
export function exportsOf(templates: StageTemplates): ReadonlyMap<string, StageExport> {
  return new Map(
    [...templates].flatMap(([stack, { Outputs = {} }]) =>
      Object.entries(Outputs).flatMap(([output, { Value: value, Export }]): [string, StageExport][] =>
        Export === undefined ? [] : [[nameOf(Export.Name), { stack, output, value }]],
      ),
    ),
  );
}

/** The id of the resource that migrates the schema; undefined: another stack does. */
export function migrationOf({ Resources }: Template): string | undefined {
  // Publishing has a trigger too. The id is that of the migration in all releases.
  return Object.keys(Resources).find((id) => Resources[id]!.Type === 'Custom::Trigger' && id.startsWith('Migrat'));
}

/** The names of the exports that a template imports. */
export function importsOf(template: Template): ReadonlySet<string> {
  return new Set(callsOf(template, 'Fn::ImportValue').map(nameOf));
}

export function outputsReadBy(template: Template): readonly OutputRead[] {
  const reads = callsOf(template, 'Fn::GetStackOutput').map(({ StackName, OutputName }) => ({
    stack: stackIdOf(String(StackName)),
    output: String(OutputName),
  }));
  return [...new Map(reads.map((read) => [`${read.stack}/${read.output}`, read])).values()];
}

/** The logical ids that a value names by `Ref`, `Fn::GetAtt` or `Fn::Sub`. */
export function referencesOf(value: unknown): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const ref of callsOf(value, 'Ref')) ids.add(String(ref));
  for (const attribute of callsOf(value, 'Fn::GetAtt')) ids.add([attribute].flat()[0].split('.')[0]);
  for (const text of callsOf(value, 'Fn::Sub'))
    for (const [, id] of String([text].flat()[0]).matchAll(/\$\{([\w:]+)/g)) ids.add(id!);
  return ids;
}

/** A value for people: `Queue.Arn`, or null for one that is more than a reference. */
export function shortNameOf(value: unknown): string | null {
  const [ref] = callsOf(value, 'Ref');
  const [attribute] = callsOf(value, 'Fn::GetAtt');
  return ref ?? (attribute === undefined ? null : [attribute].flat().join('.'));
}

/** The arguments of all calls of an intrinsic function within a value. */
function callsOf(value: unknown, name: string): any[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = !Array.isArray(value) && name in value ? [(value as Record<string, unknown>)[name]] : [];
  return [...own, ...Object.values(value).flatMap((part) => callsOf(part, name))];
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
