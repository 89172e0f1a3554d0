// What is uploaded for each function: one module that Node 24 can read, and the files it needs beside it.
import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp({ bundling: true });
const dev = synthesizeStage(app, 'dev', stages.dev);
dev.template('Api');
const bundles = globSync('asset.*/index.mjs', { cwd: app.outdir }).map((file) => join(app.outdir, file));

afterAll(() => rmSync(app.outdir, { recursive: true }));

describe('the bundles', () => {
  test('are one for each function', () => {
    expect(bundles).toHaveLength(4);
  });

  test('are modules', () => {
    const checks = bundles.map((bundle) => spawnSync(process.execPath, ['--check', bundle], { encoding: 'utf8' }).stderr);
    expect(checks).toEqual(bundles.map(() => ''));
  });

  test('have the migrations beside the function that runs them', () => {
    const migrations = readdirSync(join(import.meta.dirname, '../../lambda/data/migrations'));
    const bundled = globSync('asset.*/migrations/*.sql', { cwd: app.outdir }).map((file) => basename(file));
    expect(new Set(bundled)).toEqual(new Set(migrations));
  });
});
