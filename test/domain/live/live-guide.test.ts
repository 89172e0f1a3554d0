// A guide with a takeover: no time has two items, and none is lost.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { withItemOver } from '../../../lambda/domain/live/live-guide.ts';

const at = (minute: number) => new Date(minute * 60_000);

it('has the takeover during its time, and the items at all others', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(lengths, fc.nat(100), fc.integer({ min: 1, max: 60 }), (minutes, begins, lasts) => {
      let minute = 0;
      const items = minutes.map((length, number) => {
        const item = { name: `item ${number}`, startAt: at(minute), endAt: at(minute + length) };
        minute += length;
        return item;
      });
      const over = { name: 'live', startAt: at(begins), endAt: at(begins + lasts) };
      const shown = withItemOver(items, over);
      for (let each = 0; each < minute; each++) {
        const isAt = ({ startAt, endAt }: (typeof items)[number]) => startAt <= at(each) && at(each) < endAt;
        const wanted = isAt(over) ? over.name : items.find(isAt)!.name;
        expect(shown.filter(isAt).map(({ name }) => name)).toEqual([wanted]);
      }
      expect(shown.every(({ startAt, endAt }) => startAt < endAt)).toBe(true);
    }),
  );
});
