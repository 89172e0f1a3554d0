// The language of the catalogue.

export const language = 'de';
