// The paths of the web page; whatever serves the page answers all of them with the same document.

/** Pages for somebody who is not signed in, or may be. */
export const signInPaths = [
  '/sign-in',
  '/sign-up',
  '/forgotten-password',
  '/new-password',
  '/consent',
  '/error',
] as const;

export type SignInPath = (typeof signInPaths)[number];

/** Of the page for whoever is signed in; below some there is one for each of what they show. */
export const pagePaths = [
  ...signInPaths,
  '/',
  '/streams',
  '/library',
  '/playlists',
  '/destinations',
  '/schedule',
  '/alerts',
  '/webhooks',
  '/billing',
  '/account',
  '/developers',
] as const;

/** @param path of a request, without its query */
export function isPagePath(path: string): boolean {
  return pagePaths.some((page) => page === path) || /^\/(streams|playlists|webhooks|developers)\/[\w/]+$/.test(path);
}
