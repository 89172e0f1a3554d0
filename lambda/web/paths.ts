// The paths of the web page; whatever serves the page answers all of them with the same document.

export const pagePaths = [
  '/account',
  '/sign-in',
  '/sign-up',
  '/forgotten-password',
  '/new-password',
  '/consent',
  '/error',
] as const;

export type PagePath = (typeof pagePaths)[number];
