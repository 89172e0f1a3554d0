// The turns of changes in the process that serves all requests: changes of a user wait for each other in memory.
// In AWS a function has one change, so the database refuses those without a turn. Decision D266.
import type { Service } from '../../lambda/surfaces/service.ts';

/** The most changes of a subject that wait. The database refuses those beyond them. */
const mostWaiting = 100;

interface Turns {
  underWay: number;
  readonly waiting: (() => void)[];
}

/** @returns a function that does changes of a subject, at most so many at a time, in the order of their arrival */
export function createChangeTurns(): Service['inTurn'] {
  const turnsOf = new Map<string, Turns>();
  return async ({ subject, atOnce }, change) => {
    const turns = turnsOf.get(subject) ?? { underWay: 0, waiting: [] };
    if (turns.waiting.length >= mostWaiting) return change();
    turnsOf.set(subject, turns);
    if (turns.underWay < atOnce) turns.underWay++;
    else await new Promise<void>((resolve) => turns.waiting.push(resolve));
    try {
      return await change();
    } finally {
      const next = turns.waiting.shift();
      if (next) next();
      else if (--turns.underWay === 0) turnsOf.delete(subject);
    }
  };
}
