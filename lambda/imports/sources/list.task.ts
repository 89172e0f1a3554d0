// The thread that lists one source for `listOnThread`, and then ends.
import { constants, setPriority } from 'node:os';
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { createNameResolver } from '../../ports/outbound/name-resolver.ts';
import type { FileListing } from './file-listing.ts';
import { ListingRequests } from './listing-requests.ts';
import type { ListingAnswer, ListingTask } from './listing-thread.ts';
import { asScanError } from './scan-error.ts';

const { source, reach, now } = workerData as ListingTask;
// In Linux, this is the priority of this thread only.
setPriority(constants.priority.PRIORITY_LOW);

/** Lists by a parser that is loaded now: each of them takes a while, and a thread needs one. */
async function list(): Promise<FileListing> {
  const listing = { ...reach, resolve: createNameResolver() };
  // The thread is ended from outside, and its requests with it.
  const requests = new ListingRequests(listing, new AbortController().signal);
  if (source.kind === 's3') {
    const { listS3 } = await import('./list-s3.ts');
    return listS3(source.place, source.keys, requests);
  }
  if (source.kind === 'webdav') {
    const { listWebDAV } = await import('./list-webdav.ts');
    return listWebDAV(source.url, source.credentials, requests, now);
  }
  const { listFeed } = await import('./list-feed.ts');
  return listFeed(source.url, source.credentials, requests, listing);
}

async function answer(): Promise<ListingAnswer> {
  try {
    const { files, isWhole, leftOut } = await list();
    return { listing: { files, isWhole, leftOut } };
  } catch (error) {
    const { code, seen, cause } = asScanError(error);
    return { code, seen, cause: inspect(cause) };
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none
parentPort!.postMessage(await answer());
