// The rules of Google's pages for each method that its machine-readable document lacks: parts, and filters.
import type { Method } from './discovery.ts';
import { Refused } from './refused.ts';

interface Rules {
  readonly parts: readonly string[];
  /** Filters. Exactly one of them is required. */
  readonly filters?: readonly string[];
  /** Parts that a request has to have. */
  readonly needed?: readonly string[];
}

const broadcastParts = ['id', 'snippet', 'contentDetails', 'monetizationDetails', 'status'];
const shortParts = ['id', 'snippet', 'contentDetails', 'status'];
const streamParts = ['id', 'snippet', 'cdn', 'status'];

/**
 * Method by method, from https://developers.google.com/youtube/v3/live/docs and
 * https://developers.google.com/youtube/v3/docs.
 */
const rules: Readonly<Record<string, Rules>> = {
  'youtube.liveBroadcasts.list': {
    parts: [...broadcastParts, 'statistics'],
    filters: ['broadcastStatus', 'id', 'mine'],
  },
  'youtube.liveBroadcasts.insert': { parts: broadcastParts, needed: ['snippet', 'status'] },
  'youtube.liveBroadcasts.update': { parts: broadcastParts },
  'youtube.liveBroadcasts.bind': { parts: shortParts },
  'youtube.liveBroadcasts.transition': { parts: shortParts },
  'youtube.liveStreams.list': { parts: streamParts, filters: ['id', 'mine'] },
  'youtube.liveStreams.insert': { parts: [...streamParts, 'contentDetails'], needed: ['snippet', 'cdn'] },
  'youtube.videos.list': {
    parts: [
      'id',
      'snippet',
      'status',
      'statistics',
      'contentDetails',
      'liveStreamingDetails',
      'localizations',
      'player',
    ],
    filters: ['chart', 'id', 'myRating'],
  },
  'youtube.videos.update': { parts: ['snippet', 'status', 'localizations', 'recordingDetails'] },
  'youtube.channels.list': {
    parts: ['id', 'snippet', 'contentDetails', 'statistics', 'status', 'brandingSettings', 'topicDetails'],
    filters: ['mine', 'id', 'forUsername', 'forHandle', 'managedByMe'],
  },
};

/** The parts that a request names, separated by commas or repeated. @throws {Refused} */
export function readParts(method: Method, query: URLSearchParams): string[] {
  const { parts: allowed = [], filters, needed = [] } = rules[method.id] ?? {};
  const parts = query.getAll('part').flatMap((part) => part.split(','));
  const unknown = parts.find((part) => !allowed.includes(part));
  if (unknown !== undefined) throw new Refused('unknownPart', `'${unknown}'`);
  const missing = needed.find((part) => !parts.includes(part));
  if (missing !== undefined) throw new Refused(`${missing}Required`, `The part parameter must name ${missing}.`);
  if (!filters) return parts;
  const used = filters.filter((name) => query.has(name));
  if (used.length === 0)
    throw new Refused('missingRequiredParameter', `No filter selected. Expected one of: ${filters.join(', ')}`);
  if (used.length > 1)
    throw new Refused('incompatibleParameters', `Incompatible parameters specified in the request: ${used.join(', ')}`);
  return parts;
}
