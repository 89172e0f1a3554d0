// The templates of a stage, as `cdk synth` makes them, and the tasks and machines of their resources.
import { readFileSync, rmSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { ServiceStage } from '../../lib/service-stage.ts';
import { PublisherImage } from '../../lib/shared/publisher-image.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';

/** The part of a CloudFormation template that is read. Properties have no type in a template. */
export interface Template {
  readonly Resources?: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: any; readonly DependsOn?: readonly string[] }>
  >;
}

export interface Resource {
  /** The logical id, which other resources of its stack refer to. */
  readonly id: string;
  readonly type: string;
  readonly properties: any;
  /** Logical ids of resources that are created before. */
  readonly dependsOn: readonly string[];
  readonly stack: Template;
}

/** The templates of all stacks of a stage, but without code. Makes no network requests. */
export function templatesOf(name: string, settings: StageSettings): Template[] {
  const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));
  const app = new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
    context: { ...context, 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true },
  });
  try {
    // An image with a digest is not built.
    const stage = new ServiceStage(app, name, {
      ...settings,
      image: PublisherImage.fromDigest(`sha256:${'0'.repeat(64)}`),
    });
    return stage.synth().stacks.map(({ template }) => template);
  } finally {
    rmSync(app.outdir, { recursive: true, force: true });
  }
}

export function resourcesOf(stack: Template): Resource[] {
  return Object.entries(stack.Resources ?? {}).map(([id, { Type, Properties, DependsOn }]) => ({
    id,
    type: Type,
    properties: Properties ?? {},
    dependsOn: DependsOn ?? [],
    stack,
  }));
}

/** Resources of a type in the stack of another resource. */
export function neighbours({ stack }: Resource, type: string): Resource[] {
  return resourcesOf(stack).filter((resource) => resource.type === type);
}

/** The resource of the same stack that a `Ref` or an `Fn::GetAtt` names. */
export function referred({ stack }: Resource, value: any): Resource {
  const target: string = value?.Ref ?? value?.['Fn::GetAtt']?.[0];
  return resourcesOf(stack).find(({ id }) => id === target)!;
}

/** The target that scales a service of ECS; undefined: its number of tasks is fixed. */
export function scalingOf(service: Resource): Resource | undefined {
  return neighbours(service, 'AWS::ApplicationAutoScaling::ScalableTarget').find(({ properties }) =>
    JSON.stringify(properties.ResourceId).includes(`"${service.id}"`),
  );
}

/** The fewest tasks of a service of ECS. */
export function tasksAtLeast(service: Resource): number {
  const { MinCapacity, DesiredCount = 1 } = { ...service.properties, ...scalingOf(service)?.properties };
  return Number(MinCapacity ?? DesiredCount);
}

/** Whether tasks of a service run on machines of a pool, else on Fargate. */
export function isOnMachines({ properties }: Resource): boolean {
  return properties.CapacityProviderStrategy !== undefined;
}

/** The data of the launch template of an Auto Scaling group or a machine. */
export function launchTemplate(launched: Resource): any {
  return referred(launched, launched.properties.LaunchTemplate.LaunchTemplateId).properties.LaunchTemplateData;
}
