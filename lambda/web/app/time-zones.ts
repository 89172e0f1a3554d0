// The time zones that a browser knows, for people to choose from.

/** The names of all, those first that are likely. */
export function zonesWith(own: string): string[] {
  return [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}
