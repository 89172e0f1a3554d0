// The paths of the web page. The web server answers all of them with the same document.

/** Pages that do not need a session. */
export const signInPaths = [
  '/sign-in',
  '/sign-up',
  '/forgotten-password',
  '/new-password',
  '/consent',
  '/device',
  '/error',
] as const;

export type SignInPath = (typeof signInPaths)[number];

/** Pages of signed-in users. Some have a page for each of their objects below them. */
export const pagePaths = [
  ...signInPaths,
  '/',
  '/streams',
  '/library',
  '/playlists',
  '/collections',
  '/sources',
  '/destinations',
  '/schedule',
  '/alerts',
  '/webhooks',
  '/billing',
  '/account',
  '/developers',
] as const;

/** Pages of single objects, and parts of pages. */
export const pathsBelow = /^\/(streams|playlists|programmes|collections|webhooks|developers)\/[\w/]+$/;

/** @param path of a request, without its query */
export function isPagePath(path: string): boolean {
  return pagePaths.some((page) => page === path) || pathsBelow.test(path);
}
