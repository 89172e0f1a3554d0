// A server of media samples for all tests of a file.
import { afterAll, beforeAll } from 'vitest';
import { serveSamples } from './media-samples.ts';
import type { SampleServer } from './media-samples.ts';

/** Serves samples during all tests of the calling file. */
export function samplesOfFile(): Pick<SampleServer, 'urlOf'> {
  let samples: SampleServer;
  beforeAll(async () => {
    samples = await serveSamples();
  });
  afterAll(() => samples[Symbol.asyncDispose]());
  return { urlOf: (path) => samples.urlOf(path) };
}
