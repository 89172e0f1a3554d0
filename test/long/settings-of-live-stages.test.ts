// Changed settings of a stage that stands: which of them one deployment carries out, there and back.
import { expect, test } from 'vitest';
import { templateChanges } from '../../bin/deploy/template-changes/template-changes.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { type SynthesizedStage, synthesizeStage, testApp } from '../support/synth.ts';

const { dev, staging, prod } = stages;
const kms = (id: string) => `arn:aws:kms:us-east-1:123456789012:key/${id}`;
const domain = { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' };
const standing = { dev: built('dev', dev), staging: built('staging', staging), prod: built('prod', prod) };

function built(name: string, settings: StageSettings): SynthesizedStage {
  return synthesizeStage(testApp(), name, settings);
}

/** Effects of findings, without those that only put a rollback at risk; and stacks that are deployed first. */
function effectsOf(from: SynthesizedStage, to: SynthesizedStage): readonly string[] {
  const [before, after] = [from, to].map(
    (stage) => new Map([...stage.stacks.keys()].map((id) => [id, stage.template(id)])),
  );
  const waits = new Map([...to.stacks].map(([id, { dependencies }]) => [id, dependencies.map(({ node }) => node.id)]));
  const { findings, order } = templateChanges({ before: before!, after: after!, waits });
  const effects = new Set(findings.map(({ effect }) => effect).filter((effect) => effect !== 'at risk'));
  return [...effects, ...(order.first.length > 0 ? [`first: ${order.first.join(', ')}`] : [])].toSorted();
}

/** The stacks that import the address of the database. */
const clients = 'first: Publishing, Identity, Api, Operate, Monitoring';
const moved = ['interrupted', 'refused'];

test.each<[keyof typeof stages, string, Partial<StageSettings>, there: readonly string[], back: readonly string[]]>([
  ['dev', 'a domain', { domain }, [], []],
  ['prod', 'a domain', { domain }, [], []],
  ['staging', 'no proxy', { databaseProxy: false }, [clients], []],
  // Subnets of two zones and of three have other addresses.
  ['dev', 'a third zone', { availabilityZones: [...dev.availabilityZones, 'us-east-1d'] }, moved, moved],
  ['prod', 'another zone', { availabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1f'] }, moved, moved],
  ['prod', 'another network', { vpcCidr: '10.20.0.0/16' }, moved, moved],
  ['dev', 'NAT gateways', { nat: 'gateway' }, [], []],
  ['prod', 'a NAT instance', { nat: 'instance' }, [], []],
  ['prod', 'an address for mails', { mailFrom: 'no-reply@example.com' }, [], []],
  ['prod', 'no test stream', { syntheticStream: false }, ['lost'], []],
  ['prod', 'no machines at rest', { gpuMachinesMin: 0, ffmpegAgentsMin: 0 }, [], []],
  ['prod', 'a given key of media', { mediaKeyArn: kms('1') }, ['lost'], ['lost']],
  ['prod', 'unprotected data', { keepData: false }, ['lost'], []],
  ['prod', 'less storage', { databaseStorageGiB: 20 }, ['refused'], []],
])('%s with %s', (stage, _, patch, there, back) => {
  const changed = built(stage, { ...stages[stage], ...patch });
  expect([effectsOf(standing[stage], changed), effectsOf(changed, standing[stage])]).toEqual([there, back]);
});
