// Builds stages for tests as bin/app.ts does for the CLI, without bundling, and templates without the hashes that code changes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { ServiceStage } from '../../lib/service-stage.ts';
import { PublisherImage } from '../../lib/shared/publisher-image.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';

/** A CloudFormation resource as a template has it. */
export interface Resource {
  readonly Type: string;
  /** Any: a template's properties have no type. */
  readonly Properties: any;
  readonly DependsOn?: readonly string[];
}

/** The parts of a template that tests look at. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
}

export interface SynthesizedStage {
  readonly stage: ServiceStage;
  /** The stage's stacks by construct id, in the order they are made. */
  readonly stacks: ReadonlyMap<string, Stack>;
  /** A stack's template; hashes of code replaced, so that it changes with the infrastructure only. */
  template(stackId: string): StackTemplate;
  /** All resources of a stack, or of every stack, by logical id. */
  resources(stackId?: string): [logicalId: string, Resource][];
}

const outputFolders: string[] = [];
afterAll(() => outputFolders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/**
 * An app with the context of cdk.json, whose output is removed after the tests of the file.
 * @param bundling false: functions have no code, and their entry points need not exist
 * @param validating by CloudFormation's own rules, which takes seconds
 */
export function testApp({ bundling = false, validating = false } = {}): App {
  const { context }: { context: Record<string, unknown> } = JSON.parse(
    readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'),
  );
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
  const stage = new ServiceStage(app, name, { settings, image: new PublisherImage(`sha256:${'0'.repeat(64)}`) });
  const stacks = new Map(
    stage.node.children.filter((child) => Stack.isStack(child)).map((stack) => [stack.node.id, stack]),
  );
  const template = (stackId: string): StackTemplate => {
    const stack = stacks.get(stackId);
    if (!stack) throw new Error(`stage ${name} has no stack ${stackId}`);
    return withoutCodeHashes(Template.fromStack(stack).toJSON());
  };
  const resources = (stackId: string): [string, Resource][] => Object.entries(template(stackId).Resources);
  return {
    stage,
    stacks,
    template,
    resources: (stackId) => (stackId === undefined ? [...stacks.keys()].flatMap(resources) : resources(stackId)),
  };
}

function withoutCodeHashes(template: unknown): StackTemplate {
  const text = JSON.stringify(template)
    .replaceAll(/[0-9a-f]{64}/g, 'HASH')
    .replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1HASH');
  return JSON.parse(text);
}
