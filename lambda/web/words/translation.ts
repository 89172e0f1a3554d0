// The shape of a catalogue without its texts: a translation has each key of the English one, and no other.

export type Translation<Words> = Words extends string
  ? string
  : Words extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Words]: Translation<Words[Key]> };
