// Parameter sets in pictures of a transport stream: those of encoders are kept, and floods of them cost little.
import { describe, expect, it } from 'vitest';
import { AnnexBTags } from '../../lambda/live/annex-b-tags.ts';
import { ParameterSets } from '../../lambda/live/parameter-sets.ts';

/** Exp-Golomb codes of a number, and then some bits (H.264, 9.1). */
function coded(number: number, content: number): Buffer {
  const binary = (number + 1).toString(2);
  const bits = `${'0'.repeat(binary.length - 1)}${binary}${content.toString(2).padStart(16, '0')}1`;
  const bytes = bits.padEnd(8 * Math.ceil(bits.length / 8), '0').match(/.{8}/g)!;
  return Buffer.from(bytes.map((each) => Number.parseInt(each, 2)));
}

const sequenceSet = (number: number, content = 1, padding = 0) =>
  Buffer.concat([Buffer.of(0x67, 66, 0, 30), coded(number, content), Buffer.alloc(padding, 1)]);
const pictureSet = (number: number, content = 1, padding = 0) =>
  Buffer.concat([Buffer.of(0x68), coded(number, content), Buffer.alloc(padding, 1)]);
const slice = (content = 1) => Buffer.concat([Buffer.of(0x65), coded(0, content), Buffer.of(1)]);

const startCode = Buffer.of(0, 0, 1);
const picture = (index: number, units: readonly Buffer[]) => ({
  dts: 3000 * index,
  pts: 3000 * index,
  data: Buffer.concat(units.flatMap((unit) => [startCode, unit])),
  followsGap: false,
});
/** The numbers of sets in a record. */
const counted = (record: Buffer | null) => {
  const firstBytes = record!.readUInt16BE(6);
  return { sequences: record![5]! & 0x1f, firstBytes };
};

describe('parameter sets', () => {
  it('that are replaced again and again have room, and take the place of the earlier ones', () => {
    const sets = new ParameterSets();
    for (let content = 1; content <= 40; content++) {
      sets.takeSequenceSet(sequenceSet(0, content, 3000));
      for (let number = 0; number < 9; number++) sets.takePictureSet(pictureSet(number, content, 3000));
      const record = sets.takeNewRecord()!;
      const { sequences, firstBytes } = counted(record);
      expect([sequences, record[8 + firstBytes]]).toEqual([1, 9]);
      expect(record.subarray(8, 8 + firstBytes)).toEqual(sequenceSet(0, content, 3000));
    }
  });

  it('beyond 32 KiB are left out', () => {
    const sets = new ParameterSets();
    sets.takeSequenceSet(sequenceSet(0));
    for (let number = 0; number < 20; number++) sets.takePictureSet(pictureSet(number, 1, 4000));
    expect(sets.takeNewRecord()!.length).toBeLessThanOrEqual(33 * 1024);
  });

  it('that repeat make no new record', () => {
    const sets = new ParameterSets();
    const take = () => {
      sets.takeSequenceSet(sequenceSet(0));
      sets.takePictureSet(pictureSet(0));
      return sets.takeNewRecord();
    };
    expect(take()).not.toBeNull();
    expect(take()).toBeNull();
  });
});

describe('a picture', () => {
  const header = (units: readonly Buffer[]) =>
    new AnnexBTags()
      .read(picture(0, units))
      .find(({ body }) => body[1] === 0)
      ?.body.subarray(5) ?? null;

  it('has its sets in the header, and at most 64 of them', () => {
    const few = header([sequenceSet(0), pictureSet(0), pictureSet(1), slice()])!;
    expect(few[8 + counted(few).firstBytes]).toBe(2);
    const many = Array.from({ length: 200 }, (_, number) => pictureSet(number));
    const bounded = header([sequenceSet(0), ...many, slice()])!;
    expect(bounded[8 + counted(bounded).firstBytes]).toBe(63);
  });

  it.each([
    ['the same', () => 1],
    ['ever new', (at: number, index: number) => (7 * at + 13 * index) % 65_536],
  ])('with thousands of small sets, %s, costs less than two of slices alone', (_, contentAt) => {
    const unitCount = 4000;
    const cpuMsOf = (unitAt: (at: number, index: number) => Buffer) => {
      const pictures = Array.from({ length: 40 }, (__, index) =>
        picture(
          index,
          Array.from({ length: unitCount }, (___, at) => unitAt(at, index)),
        ),
      );
      const tags = new AnnexBTags();
      const before = process.threadCpuUsage();
      for (const each of pictures) tags.read(each);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    };
    const slices = () => cpuMsOf((at) => slice(at));
    const flood = () =>
      cpuMsOf((at, index) => {
        if (at === 0) return sequenceSet(0);
        return at === unitCount - 1 ? slice() : pictureSet(at % 250, contentAt(at, index));
      });
    slices();
    expect(flood()).toBeLessThan(2 * slices());
  });
});
