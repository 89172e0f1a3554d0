// Stages of a few resources, for tests that compare two sets of templates.
import type { StageTemplates, Template, TemplateResource } from '../../bin/deploy/template-changes/stage-templates.ts';

export interface SmallStack {
  readonly resources?: Readonly<Record<string, TemplateResource>>;
  /** Values of exports by the names of their outputs. */
  readonly exports?: Readonly<Record<string, unknown>>;
  /** Names of imported outputs: `Queues/Arn`. */
  readonly imports?: readonly string[];
  /** Names of outputs that are read without being imported. */
  readonly reads?: readonly string[];
  /** Values of outputs that are not exported, by their names. */
  readonly outputs?: Readonly<Record<string, string>>;
}

export function smallStage(stacks: Readonly<Record<string, SmallStack>>): StageTemplates {
  return new Map(Object.entries(stacks).map(([stack, content]) => [stack, templateOf(stack, content)]));
}

function templateOf(
  stack: string,
  { resources = {}, exports = {}, imports = [], reads = [], outputs = {} }: SmallStack,
): Template {
  const imported = imports.map((name) => ({ 'Fn::ImportValue': `test-${name.replace('/', ':')}` }));
  const read = reads.map((name) => {
    const [from = '', output = ''] = name.split('/');
    return { 'Fn::GetStackOutput': { StackName: `test-${from}`, OutputName: output } };
  });
  const exported = Object.entries(exports).map(
    ([output, Value]) => [output, { Value, Export: { Name: `test-${stack}:${output}` } }] as const,
  );
  const shown = Object.entries(outputs).map(([output, Value]) => [output, { Value }] as const);
  return {
    Resources: { ...resources, Reader: resource('AWS::SSM::Parameter', { Value: [...imported, ...read] }) },
    Outputs: Object.fromEntries([...exported, ...shown]),
  };
}

export function resource(
  Type: string,
  Properties: Readonly<Record<string, unknown>> = {},
  policies: Pick<TemplateResource, 'DeletionPolicy' | 'UpdateReplacePolicy'> = {},
): TemplateResource {
  return { Type, Properties, ...policies };
}
