// The differences of each stage and of often chosen settings from prod: reviews show what each stage gets.
import { expect, test } from 'vitest';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { differenceLines } from '../support/template-differences.ts';

const account = '123456789012';
/** The bootstrap of prod, whose name is in the code of each function. */
const { bootstrapQualifier } = stages.prod;

/** Settings by the name of the file. */
const variants: Readonly<Record<string, StageSettings>> = {
  dev: { ...stages.dev, bootstrapQualifier },
  staging: { ...stages.staging, bootstrapQualifier },
  'with-domain': { ...stages.prod, domain: { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' } },
  'with-recovery': { ...stages.prod, account, recoveryRegion: 'us-west-2' },
  'with-live-ingest': { ...stages.prod, liveIngest: { minTasks: 1, maxTasks: 4 } },
  'with-nat-instance': { ...stages.prod, nat: 'instance' },
  // Without the proxy, the database needs more connections than the class of prod has.
  'without-proxy': { ...stages.prod, databaseProxy: false, databaseInstanceClass: 'm8g.xlarge' },
};

// One name, because logical ids and exports contain it.
const prod = synthesizeStage(testApp(), 'prod', stages.prod);

test.each(Object.entries(variants))('%s differs from prod as the committed list says', async (name, settings) => {
  // The copies take an account, which every ARN contains.
  const base = settings.account === null ? prod : synthesizeStage(testApp(), 'prod', { ...stages.prod, account });
  const lines = differenceLines(base, synthesizeStage(testApp(), 'prod', settings));
  expect(lines.length).toBeGreaterThan(0);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`../stacks/templates/differences/${name}.txt`);
});
