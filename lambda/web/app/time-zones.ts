// The time zones that the browser knows, for a list of choices.

/** The names of all time zones: the user's own and UTC first. */
export function zonesWith(own: string): string[] {
  return [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}
