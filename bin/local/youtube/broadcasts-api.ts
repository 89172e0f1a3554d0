// The methods of liveBroadcasts (https://developers.google.com/youtube/v3/live/docs/liveBroadcasts).
import { idsOf, newID, pageOf, partsOf } from './api-call.ts';
import type { ApiCall } from './api-call.ts';
import { isBeforeTesting, isOnAir, transition } from './life-cycle.ts';
import { Refused } from './refused.ts';
import type { Fields, KeptBroadcast } from './state.ts';
import { viewersOf } from './videos-api.ts';

type Method = (call: ApiCall) => Fields | null;

export const broadcastMethods: Readonly<Record<string, Method>> = {
  'youtube.liveBroadcasts.insert': ({ channelID, body, parts, world }) => {
    const { snippet = {}, status = {}, contentDetails = {}, monetizationDetails = {} } = body;
    checkSnippet(snippet);
    if (timeOf(snippet['scheduledStartTime']) < world.now) throw new Refused('invalidScheduledStartTime');
    const broadcast: KeptBroadcast = {
      id: newID(8),
      channelID,
      insertedAt: world.now,
      snippet,
      status,
      contentDetails: { ...contentDefaults, ...contentDetails },
      monetizationDetails,
      lifeCycle: 'created',
      boundStreamID: null,
      boundAt: 0,
      startingUntil: null,
      actualStartAt: null,
      actualEndAt: null,
      tags: [],
      hasThumbnail: false,
    };
    world.broadcasts.push(broadcast);
    return present(broadcast, parts, world.now);
  },

  'youtube.liveBroadcasts.list': ({ channelID, query, parts, world }) => {
    const status = query.get('broadcastStatus');
    const ids = query.has('id') ? idsOf(query) : null;
    const listed = world.broadcasts
      .filter((broadcast) => broadcast.channelID === channelID)
      .filter((broadcast) => (ids ? ids.includes(broadcast.id) : status === null || isIn(broadcast, status)));
    const page = (broadcast: KeptBroadcast) => present(broadcast, parts, world.now);
    return pageOf('youtube#liveBroadcastListResponse', listed.toReversed(), query, page);
  },

  'youtube.liveBroadcasts.update': ({ channelID, body, parts, world }) => {
    const broadcast = world.broadcast(channelID, body.id ?? null);
    const { snippet, status, contentDetails, monetizationDetails } = body;
    const before = isBeforeTesting(broadcast);
    if (contentDetails && !before) throw new Refused('liveBroadcastModificationNotAllowed');
    if (snippet) {
      checkSnippet(snippet);
      const start = timeOf(snippet['scheduledStartTime']);
      if (start !== timeOf(broadcast.snippet['scheduledStartTime'])) {
        if (!before) throw new Refused('liveBroadcastModificationNotAllowed');
        if (start < world.now) throw new Refused('invalidScheduledStartTime');
      }
    }
    // A part is replaced as a whole: missing fields are reset.
    if (snippet) broadcast.snippet = snippet;
    if (status) broadcast.status = status;
    if (contentDetails) broadcast.contentDetails = { ...contentDefaults, ...contentDetails };
    if (monetizationDetails) broadcast.monetizationDetails = monetizationDetails;
    return present(broadcast, parts, world.now);
  },

  'youtube.liveBroadcasts.bind': ({ channelID, query, parts, world }) => {
    const broadcast = world.broadcast(channelID, query.get('id'));
    const streamID = query.get('streamId');
    if (!isBeforeTesting(broadcast)) throw new Refused('liveBroadcastBindingNotAllowed');
    broadcast.boundStreamID = streamID === null ? null : world.stream(channelID, streamID).id;
    broadcast.boundAt = world.now;
    broadcast.lifeCycle = streamID === null ? 'created' : 'ready';
    return present(broadcast, parts, world.now);
  },

  'youtube.liveBroadcasts.transition': ({ channelID, query, parts, world, isStuck }) => {
    const broadcast = world.broadcast(channelID, query.get('id'));
    transition(broadcast, query.get('broadcastStatus')!, world.around(), isStuck);
    return present(broadcast, parts, world.now);
  },

  'youtube.liveBroadcasts.delete': ({ channelID, query, world }) => {
    const broadcast = world.broadcast(channelID, query.get('id'));
    const isStuck = broadcast.lifeCycle === 'liveStarting' && broadcast.startingUntil === null;
    if (!isBeforeTesting(broadcast) && !isStuck) throw new Refused('liveBroadcastDeletionNotAllowed');
    world.broadcasts.splice(world.broadcasts.indexOf(broadcast), 1);
    return null;
  },
};

const contentDefaults: Fields = {
  enableAutoStart: false,
  enableAutoStop: false,
  enableDvr: true,
  enableEmbed: true,
  recordFromStart: true,
  latencyPreference: 'normal',
  monitorStream: { enableMonitorStream: true, broadcastStreamDelayMs: 0 },
};

/** @throws {Refused} */
function checkSnippet({ title, description }: Fields): void {
  if (typeof title !== 'string' || title.length > 100 || /[<>]/.test(title)) throw new Refused('invalidTitle');
  if (typeof description === 'string' && (Buffer.byteLength(description) > 5000 || /[<>]/.test(description)))
    throw new Refused('invalidDescription');
}

function timeOf(value: unknown): number {
  return Date.parse(String(value));
}

function isIn(broadcast: KeptBroadcast, status: string): boolean {
  if (status === 'active') return isOnAir(broadcast);
  if (status === 'completed') return broadcast.lifeCycle === 'complete';
  return status === 'all' || (!isOnAir(broadcast) && broadcast.lifeCycle !== 'complete');
}

function present(broadcast: KeptBroadcast, parts: readonly string[], now: number): Fields {
  const { id, channelID, insertedAt, actualStartAt, actualEndAt, boundStreamID, status } = broadcast;
  const iso = (time: number | null) => (time === null ? undefined : new Date(time).toISOString());
  const madeForKids = status['selfDeclaredMadeForKids'] === true;
  const resource = {
    id,
    snippet: {
      description: '',
      ...broadcast.snippet,
      publishedAt: iso(insertedAt),
      channelId: channelID,
      actualStartTime: iso(actualStartAt),
      actualEndTime: iso(actualEndAt),
      isDefaultBroadcast: false,
      liveChatId: `chat-${id}`,
    },
    status: { ...status, lifeCycleStatus: broadcast.lifeCycle, recordingStatus: recordingOf(broadcast), madeForKids },
    contentDetails: { ...broadcast.contentDetails, ...(boundStreamID !== null && { boundStreamId: boundStreamID }) },
    monetizationDetails: broadcast.monetizationDetails,
    // Reported only while it is live.
    statistics: broadcast.lifeCycle === 'live' ? { concurrentViewers: String(viewersOf(broadcast, now)) } : undefined,
  };
  return partsOf('youtube#liveBroadcast', resource, parts);
}

function recordingOf({ lifeCycle }: KeptBroadcast): string {
  return lifeCycle === 'live' ? 'recording' : lifeCycle === 'complete' ? 'recorded' : 'notRecording';
}
