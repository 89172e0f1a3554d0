// Repeatable random numbers: a test that failed with a seed fails with it again.

/** Numbers from 0 up to 1: equal sequences for equal seeds. A linear congruential generator (Numerical Recipes). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
