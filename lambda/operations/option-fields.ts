// Objects of options: the schemas in requests and answers, and the defaults, from one table of fields for each object.
import * as z from 'zod';

/** A field of an object, with its schema in requests and its schema in answers. */
interface OptionField {
  readonly input: z.ZodType;
  readonly shown: z.ZodType;
  /** For an object within the object: adds the defaults of its fields. */
  readonly filled?: (given: never) => unknown;
}

type Fields = Readonly<Record<string, OptionField>>;

/** A value that a request gives or that is stored: arrays and objects in it may be read-only. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Given<Value[Name]> }
    : Value;

type GivenFields<Of extends Fields> = {
  readonly [Name in keyof Of]?: Given<z.output<Of[Name]['input']> | z.output<Of[Name]['shown']>> | undefined;
};

type Filled<Of extends Fields> = { -readonly [Name in keyof Of]: z.output<Of[Name]['shown']> };

/**
 * Declares an object of options by its fields.
 * @param usual the default of each field that a request may leave out
 */
export function options<const Of extends Fields>(fields: Of, usual: GivenFields<Of>) {
  const filledField = (name: keyof Of, value: unknown) =>
    value === null ? null : (fields[name]!.filled?.(value as never) ?? value);
  const names = Object.keys(fields) as (keyof Of & string)[];
  const schemas = (kind: 'input' | 'shown') => Object.fromEntries(names.map((name) => [name, fields[name]![kind]]));
  return {
    /** The schema of requests. */
    input: z.strictObject(schemas('input') as { -readonly [Name in keyof Of]: Of[Name]['input'] }),
    /** The schema of answers. */
    shown: z.object(schemas('shown') as { -readonly [Name in keyof Of]: Of[Name]['shown'] }),
    /** The fields of a request or of stored settings. Absent fields get their default. */
    filled: (given: GivenFields<Of>): Filled<Of> => {
      const all = names.map(
        (name) => [name, filledField(name, given[name] === undefined ? usual[name] : given[name])] as const,
      );
      return Object.fromEntries(all) as Filled<Of>;
    },
    /** The fields that are given; their own absent fields get their default. */
    given: (given: GivenFields<Of>): Partial<Filled<Of>> => {
      const some = names.filter((name) => given[name] !== undefined);
      return Object.fromEntries(some.map((name) => [name, filledField(name, given[name])])) as Partial<Filled<Of>>;
    },
  };
}
