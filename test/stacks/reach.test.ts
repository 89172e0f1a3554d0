// Network connections as a committed table for readers: a change of the network changes the table as well.
import { describe, expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { reachOf } from '../support/stage-reach.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();
const reached = Object.entries(stages).map(
  ([name, settings]) => [name, settings.databaseProxy, reachOf(synthesizeStage(app, name, settings))] as const,
);

describe.each(reached)('stage %s', (_name, isProxied, lines) => {
  test('lets connections be opened as the table says, and no others', async () => {
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(isProxied ? 'reach.txt' : 'reach-without-proxy.txt');
  });
});
