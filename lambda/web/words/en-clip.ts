// The words of the form that makes a part of a file into a file of its own. They load with the library.

export const clipWords = {
  make: 'Make a clip',
  text: 'A clip plays as a file of its own, exact to the frame. It needs no storage, and the whole file stays.',
  from: 'Begins at (seconds)',
  fromHere: 'Begin here',
  until: 'Ends at (seconds)',
  untilHere: 'End here',
  nameOf: (name: string) => `Clip of ${name}`.slice(0, 255),
} as const;
