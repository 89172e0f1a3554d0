// The methods of liveStreams (https://developers.google.com/youtube/v3/live/docs/liveStreams).
import { idsOf, newID, pageOf, partsOf } from './api-call.ts';
import type { ApiCall, World } from './api-call.ts';
import { healthStatusOf, ingestAddresses } from './ingest.ts';
import { Refused } from './refused.ts';
import type { Fields, KeptStream } from './state.ts';

type Method = (call: ApiCall) => Fields | null;

/** The port if nothing listens, as in tests without media. */
const noPort = 1935;

export const streamMethods: Readonly<Record<string, Method>> = {
  'youtube.liveStreams.insert': ({ channelID, body, parts, world }) => {
    const { snippet = {}, cdn = {}, contentDetails = {} } = body;
    checkTitle(snippet);
    for (const name of ['frameRate', 'resolution'])
      if (cdn[name] === undefined) throw new Refused(`${name}Required`, `The request must set ${name}.`);
    // The value “variable” has to be set for both or for none.
    if ((cdn['frameRate'] === 'variable') !== (cdn['resolution'] === 'variable'))
      throw new Refused('invalidResolution');
    const stream: KeptStream = {
      id: newID(16),
      channelID,
      insertedAt: world.now,
      key: Array.from({ length: 5 }, () => newID(3)).join('-'),
      cdn,
      isReusable: contentDetails['isReusable'] !== false,
      snippet,
      lastActiveAt: null,
    };
    world.streams.push(stream);
    return present(stream, parts, world);
  },

  'youtube.liveStreams.list': ({ channelID, query, parts, world }) => {
    const ids = query.has('id') ? idsOf(query) : null;
    const listed = world.streams
      .filter((stream) => stream.channelID === channelID)
      .filter(({ id }) => ids?.includes(id) ?? true);
    return pageOf('youtube#liveStreamListResponse', listed, query, (stream) => present(stream, parts, world));
  },
};

function checkTitle({ title }: Fields): void {
  if (typeof title !== 'string' || title.length > 128) throw new Refused('invalidTitle');
}

function present(stream: KeptStream, parts: readonly string[], world: World): Fields {
  const { id, channelID, insertedAt, snippet, cdn, key, lastActiveAt, isReusable } = stream;
  const facts = world.factsOf(stream);
  const streamStatus = facts.activeSince !== null ? 'active' : lastActiveAt === null ? 'ready' : 'inactive';
  const resource = {
    id,
    snippet: {
      description: '',
      ...snippet,
      channelId: channelID,
      publishedAt: new Date(insertedAt).toISOString(),
      isDefaultStream: false,
    },
    cdn: { ...cdn, ingestionInfo: { streamName: key, ...ingestAddresses(world.server?.port ?? noPort) } },
    status: {
      streamStatus,
      healthStatus: {
        status: healthStatusOf(facts),
        lastUpdateTimeSeconds: String(Math.floor(world.now / 1000)),
        configurationIssues: facts.issues,
      },
    },
    contentDetails: { isReusable },
  };
  return partsOf('youtube#liveStream', resource, parts);
}
