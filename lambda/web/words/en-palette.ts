// The words of the command palette. They load with it.

export const paletteWords = {
  title: 'Find anything',
  placeholder: 'Streams, files, playlists, places …',
  nothing: 'Nothing has this name.',
  places: 'Go to',
  actions: 'Do',
  newStream: 'New stream',
  addFiles: 'Add files to the library',
  plan: 'Plan a stream',
  addCredits: 'Add credits',
  newDestination: 'Add a destination',
} as const;
