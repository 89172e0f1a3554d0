// The words of the document itself, which a reader or a search engine sees before any script runs.

export const documentWords = {
  description: 'Live streams around the clock, made of uploaded videos and sound.',
  noScript: 'This page needs JavaScript.',
} as const;
