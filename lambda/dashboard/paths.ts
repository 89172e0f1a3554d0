// The addresses of the web page, for whoever serves it.

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
