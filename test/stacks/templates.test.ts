// The templates of prod, one snapshot file for each stack: reviews show every change to deployed resources.
import { describe, expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const prod = synthesizeStage(testApp(), 'prod', stages.prod);
// `cdk init` sets weak references, and an old app lacks the flags of later releases of the CDK.
const elsewhere = synthesizeStage(
  testApp({ flags: { '@aws-cdk/core:defaultCrossStackReferences': 'weak' } }),
  'prod',
  stages.prod,
);

describe('the template of prod', () => {
  test.each([...prod.stacks.keys()])('is the committed snapshot: stack %s', async (stackId) => {
    const template = JSON.stringify(prod.template(stackId), null, 1);
    await expect(`${template}\n`).toMatchFileSnapshot(`templates/${stackId.toLowerCase()}.json`);
  });

  test('is the same when made again, in an app with other feature flags', () => {
    for (const stackId of prod.stacks.keys()) expect(elsewhere.template(stackId)).toEqual(prod.template(stackId));
  });
});
