// Builds stages as bin/app.ts does, but without bundling, and templates without the hashes that code changes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { ServiceStage } from '../../lib/service-stage.ts';
import { PublisherImage } from '../../lib/shared/publisher-image.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';

/** A CloudFormation resource as a template has it. */
export interface Resource {
  readonly Type: string;
  /** The type is any, since the properties in a template have none. */
  readonly Properties: any;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
}

/** The parts of a template that tests read. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>>;
}

export interface SynthesizedStage {
  readonly stage: ServiceStage;
  /** The stage's stacks by construct id, in order of creation. */
  readonly stacks: ReadonlyMap<string, Stack>;
  /** The template of a stack, without hashes of code, so that it changes only with the infrastructure. */
  template(stackId: string): StackTemplate;
  /** All resources of a stack, or of every stack, by logical id. */
  resources(stackId?: string): [logicalId: string, Resource][];
}

const outputFolders: string[] = [];
afterAll(() => outputFolders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/**
 * Makes an app with the context of cdk.json. Its output is removed after the tests of the file.
 * @param bundling bundles the code of functions; without it, their entry points need not exist
 * @param validating checks templates by the rules of CloudFormation, which takes seconds
 * @param flags replaces the context of cdk.json
 */
export function testApp({
  bundling = false,
  validating = false,
  flags: context = cdk.context,
}: {
  readonly bundling?: boolean;
  readonly validating?: boolean;
  readonly flags?: Readonly<Record<string, unknown>>;
} = {}): App {
  const outdir = mkdtempSync(join(tmpdir(), 'cdk.out-'));
  outputFolders.push(outdir);
  return new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: validating,
    outdir,
    context: {
      ...context,
      'aws:cdk:enable-path-metadata': false,
      'aws:cdk:enable-asset-metadata': false,
      ...(bundling ? {} : { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }),
    },
  });
}

/** Makes one stage in an app. */
export function synthesizeStage(app: App, name: string, settings: StageSettings): SynthesizedStage {
  const stage = new ServiceStage(app, name, {
    ...settings,
    image: PublisherImage.fromDigest(`sha256:${'0'.repeat(64)}`),
  });
  const stacks = new Map(
    stage.node.children.filter((child) => Stack.isStack(child)).map((stack) => [stack.node.id, stack]),
  );
  const template = (stackId: string): StackTemplate => {
    const stack = stacks.get(stackId);
    if (!stack) throw new Error(`stage ${name} has no stack ${stackId}`);
    return templateOf(stack);
  };
  const resources = (stackId: string): [string, Resource][] => Object.entries(template(stackId).Resources);
  return {
    stage,
    stacks,
    template,
    resources: (stackId) => (stackId === undefined ? [...stacks.keys()].flatMap(resources) : resources(stackId)),
  };
}

/** The template of any stack, with the hashes of code replaced. */
export function templateOf(stack: Stack): StackTemplate {
  return withoutCodeHashes(Template.fromStack(stack).toJSON());
}

function withoutCodeHashes(template: unknown): StackTemplate {
  const text = JSON.stringify(template)
    .replaceAll(/[0-9a-f]{64}/g, 'HASH')
    .replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1HASH');
  return JSON.parse(text);
}
