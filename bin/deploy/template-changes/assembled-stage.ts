// The templates of a stage in the CDK's output, with the order and the regions of its stacks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stackIdOf, type StageTemplates, type Template } from './stage-templates.ts';

export interface AssembledStage {
  readonly templates: StageTemplates;
  /** The stacks that each stack waits for. */
  readonly waits: ReadonlyMap<string, readonly string[]>;
  readonly regions: ReadonlySet<string>;
}

interface Manifest {
  readonly artifacts: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly environment?: string;
        readonly dependencies?: readonly string[];
        readonly properties?: {
          readonly templateFile: string;
          readonly stackName: string;
          readonly displayName: string;
          readonly directoryName: string;
        };
      }
    >
  >;
}

/** @throws if the folder has no such stage */
export function readAssembledStage(assembly: string, stage: string): AssembledStage {
  const nested = Object.values(readManifest(assembly).artifacts).find(
    ({ type, properties }) => type === 'cdk:cloud-assembly' && properties?.displayName === stage,
  );
  if (!nested?.properties) throw new Error(`${assembly} has no stage ${stage}: synthesize it first.`);
  const folder = join(assembly, nested.properties.directoryName);
  const artifacts = Object.entries(readManifest(folder).artifacts);
  const stacks = artifacts.flatMap(([artifact, { type, environment = '', dependencies = [], properties }]) =>
    type === 'aws:cloudformation:stack' && properties
      ? [{ artifact, environment, dependencies, file: properties.templateFile, id: stackIdOf(properties.stackName) }]
      : [],
  );
  const idOf = new Map(stacks.map(({ artifact, id }) => [artifact, id]));
  return {
    templates: new Map(
      stacks.map(({ id, file }): [string, Template] => [id, JSON.parse(readFileSync(join(folder, file), 'utf8'))]),
    ),
    waits: new Map(stacks.map(({ id, dependencies }) => [id, dependencies.flatMap((other) => idOf.get(other) ?? [])])),
    // `aws://ACCOUNT/REGION`
    regions: new Set(stacks.map(({ environment }) => environment.split('/').at(-1)!)),
  };
}

/**
 * The templates after a deployment of one stack, which also deploys those it waits for. Others stay as they are.
 * @param stack undefined: all
 */
export function templatesAfter(
  standing: StageTemplates,
  { templates, waits }: Pick<AssembledStage, 'templates' | 'waits'>,
  stack: string | undefined,
): StageTemplates {
  if (stack === undefined) return templates;
  const deployed = new Set([stack]);
  for (const id of deployed) for (const other of waits.get(id) ?? []) deployed.add(other);
  return new Map([...standing, ...[...templates].filter(([id]) => deployed.has(id))]);
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
}
