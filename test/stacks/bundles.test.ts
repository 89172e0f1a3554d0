// Uploaded assets: for each function a module that Node 24 can load, and the publisher's image context.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { describe, expect, test } from 'vitest';
import { PublisherImage } from '../../lib/shared/publisher-image.ts';
import { stages } from '../../lib/stages.ts';
import { copiesOf, readDockerfile } from '../support/dockerfile.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp({ bundling: true });
const dev = synthesizeStage(app, 'dev', { ...stages.dev, syntheticStream: true });
dev.template('Api');
const bundles = globSync('asset.*/index.mjs', { cwd: app.outdir }).map((file) => join(app.outdir, file));

describe('the bundles', () => {
  test('are one for each function', () => {
    expect(bundles).toHaveLength(14);
  });

  test('are at most 1200 KB, but for those of identity, MCP and GraphQL', () => {
    const [authKB = 0, mcpKB = 0, graphqlKB = 0, ...sizesKB] = bundles
      .map((bundle) => statSync(bundle).size / 1024)
      .sort((a, b) => b - a);
    // Code for few requests is in separate modules: recurrences, Stripe, the clients of S3 and SQS.
    // An operation adds 2 to 3 KB to each surface, mostly descriptions; the bounds have room for some more.
    // `import { z } from 'zod'` would add 350 KB: bundlers omit zod's locales only with `import * as z`.
    expect(Math.max(...sizesKB)).toBeLessThanOrEqual(1200);
    expect(graphqlKB).toBeLessThanOrEqual(1310);
    expect(mcpKB).toBeLessThanOrEqual(1345);
    expect(authKB).toBeLessThanOrEqual(1950);
  });

  test('are modules that Node can read', () => {
    const checks = bundles.map(
      (bundle) => spawnSync(process.execPath, ['--check', bundle], { encoding: 'utf8' }).stderr,
    );
    expect(checks).toEqual(bundles.map(() => ''));
  });

  test.each([
    ['the authorization server', 'better-auth'],
    ['MCP', 'io.modelcontextprotocol'],
    ['GraphQL', 'Cannot query field'],
  ])('keep the library of %s to its own function', (_what, mark) => {
    const withLibrary = bundles.filter((bundle) => readFileSync(bundle, 'utf8').includes(mark));
    expect(withLibrary).toHaveLength(1);
  });

  test('have the migrations beside the function that runs them', () => {
    const migrations = readdirSync(join(import.meta.dirname, '../../lambda/data/migrations'));
    const bundled = globSync('asset.*/migrations/*.sql', { cwd: app.outdir }).map((file) => basename(file));
    expect(new Set(bundled)).toEqual(new Set(migrations));
  });
});

describe('the build context of the publisher’s image', () => {
  const stack = new Stack(app, 'image');
  PublisherImage.fromSources().for(stack, 'Image', Platform.LINUX_ARM64);
  const [context = ''] = globSync('asset.*/package-lock.json', { cwd: app.outdir }).map((file) =>
    join(app.outdir, dirname(file)),
  );

  test('is what its Dockerfile copies, and no more', () => {
    const stages = readDockerfile(readFileSync(join(context, 'lambda/publisher/Dockerfile'), 'utf8'));
    const fromContext = stages.flatMap(copiesOf).filter(({ fromStage }) => fromStage === null);
    const copied = fromContext.flatMap(({ sources }) => sources);
    expect(copied).not.toEqual([]);
    expect(copied.filter((path) => !existsSync(join(context, path)))).toEqual([]);
    expect(readdirSync(context).sort()).toEqual(['.npmrc', 'lambda', 'lib', 'package-lock.json', 'package.json']);
    expect(readdirSync(join(context, 'lib/shared'))).toEqual(['bundle.ts']);
  });
});
