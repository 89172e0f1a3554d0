// Makes the templates of a stage as `cdk synth` does, but without the functions' code: it does not change the costs.
import { readFileSync, rmSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import type { Template } from '../../lib/cost/stage-resources.ts';
import { ServiceStage } from '../../lib/service-stage.ts';
import { PublisherImage } from '../../lib/shared/publisher-image.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';

/** An image with a digest is not built. */
const image = new PublisherImage(`sha256:${'0'.repeat(64)}`);

/** @returns the templates of all stacks of the stage. Asks no network */
export function templatesOf(name: string, settings: StageSettings): Template[] {
  const { context }: { context: Record<string, unknown> } = JSON.parse(
    readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'),
  );
  const app = new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
    context: { ...context, 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true },
  });
  try {
    const stage = new ServiceStage(app, name, { settings, image });
    return stage.synth().stacks.map(({ template }) => template);
  } finally {
    rmSync(app.outdir, { recursive: true, force: true });
  }
}
