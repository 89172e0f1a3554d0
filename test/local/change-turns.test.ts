// Turns of changes in the local run: a user who sends many changes at once gets all of them done, a few at a time.
import { expect, test } from 'vitest';
import { createChangeTurns } from '../../bin/local/change-turns.ts';

const bounds = { subject: 'programs of usr_a', userID: null, atOnce: 6, lockWaitSeconds: 5, statementSeconds: 12 };

test('twenty changes at once are all done in their order, six at a time, though some fail', async () => {
  const inTurn = createChangeTurns();
  let [underWay, most] = [0, 0];
  const begun: number[] = [];
  const change = (number: number) => async () => {
    begun.push(number);
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    if (number % 5 === 0) throw new Error('refused');
    return number;
  };
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const results = await Promise.allSettled(numbers.map((number) => inTurn(bounds, change(number))));
  expect(begun).toEqual(numbers);
  expect(most).toBe(6);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  expect(await inTurn(bounds, change(1))).toBe(1);
});

test('changes of another user do not wait, nor do those behind a hundred, which the database refuses', async () => {
  const inTurn = createChangeTurns();
  const held = Promise.withResolvers<void>();
  let begun = 0;
  const waiting = Array.from({ length: 110 }, () =>
    inTurn(bounds, () => {
      begun++;
      return held.promise;
    }),
  );
  expect(await inTurn({ ...bounds, subject: 'programs of usr_b' }, async () => 'done')).toBe('done');
  expect(begun).toBe(6 + 4);
  held.resolve();
  await Promise.all(waiting);
  expect(begun).toBe(110);
});
