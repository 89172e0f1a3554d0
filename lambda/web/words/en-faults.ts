// The words of faults in fields of requests, for texts of the API that name fields.

export const faultsWords = {
  collectionOrFile: 'Choose a collection or a file.',
  insertTime: 'Choose when it plays.',
  time: 'Enter a time, such as 20:00.',
  block: 'Choose a block.',
  beforeFirstDay: 'It is before the first day.',
  daysOnly: 'The rule may give days only: times have fields of their own.',
  itemsOrMinutes: 'Enter a number of items, of minutes, or both.',
  tag: 'Enter at least one tag.',
  seriesOnly: 'Only series have groups.',
} as const;
