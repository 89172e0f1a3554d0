// The language of the catalogue.

/** Its code by BCP 47. */
export const language: 'en' | 'de' = 'en';
