// Aired items are recorded while a replica runs, before newer figures replace them.
import { expect, it } from 'vitest';
import type { SaidFigures } from '../../../lambda/data/fleet/figures.ts';
import type { Replica } from '../../../lambda/data/fleet/replicas.ts';
import type { ItemOccurrence } from '../../../lambda/domain/playout/play-out.ts';
import { AgentReplicas } from '../../../lambda/publisher/agent/agent-replicas.ts';
import { Figures } from '../../../lambda/publisher/replica/figures.ts';
import type { HeldReplica } from '../../../lambda/publisher/replica/held-replica.ts';

it('where other items stand in again and again, none of it is lost, also while nobody can note it', async () => {
  const figures = new Figures();
  const claim = { id: 'rep', epoch: 3 } as Replica;
  const held = { claim, figures, finished: new Promise(() => {}) } as unknown as HeldReplica;
  const replicas = new AgentReplicas(() => held);
  replicas.begin(claim);
  const noted = new Set<number>();
  const note = async (said: readonly SaidFigures[]) => {
    for (const { replicaID, epoch, stats } of said) {
      expect([replicaID, epoch]).toEqual(['rep', 3]);
      for (const { from } of (stats as Exclude<typeof stats, string>).aired ?? []) noted.add(from);
    }
  };
  let isAway = false;
  for (let frame = 0; frame < 200; frame++) {
    const occurrence = { item: { uploadID: 'upl' }, ...(frame % 2 && { isStandIn: true }) } as ItemOccurrence;
    figures.aired.sent(frame, occurrence, 1, null);
    figures.aired.written(frame + 1);
    figures.aired.arrived(frame + 1);
    isAway = frame > 50 && frame < 150;
    if (replicas.haveAnyToRecord && !isAway) await replicas.recordAired(note);
  }
  const told = figures.aired.stretches.map(({ from }) => from);
  expect(told.length).toBeLessThanOrEqual(16);
  expect([...noted.union(new Set(told))].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, at) => at));
});
