// The texts that AI clients and people are given besides the descriptions of tools: instructions and prompts.
// The texts name tools; a test checks that the catalogue has these tools.
import type { McpContent, Prompt } from '../surfaces/mcp/server.ts';

const instructions = [
  'This service keeps live streams running around the clock: ' +
    'it loops uploaded media to RTMP destinations such as YouTube, Twitch or an own ingest, and is paid in ' +
    'credits for the minutes that are live.',
  'What there is: an upload is a file; a playlist is an order of uploads that belongs to a stream; ' +
    'a destination is an RTMP address with its secret key; ' +
    'a stream plays its playlists, or a single upload, to one destination.',
  'From files to live: create_upload, create_upload_url, PUT the bytes, complete_upload (or import_upload ' +
    'for links); create_destination; create_stream; create_playlist and apply_playlist_operations, or ' +
    'videoUploadObjectID of the stream for a single file; get_stream_readiness; start_stream; ' +
    'then get_stream until its state is active. It is live only then.',
  'streamBackend of a stream: take manifest for what loops for long, such as a finished playlist or a 24/7 ' +
    'channel. Its media is prepared once, so it never falls behind; the first start waits for that. Take ffmpeg to ' +
    'be on air within a second, or where items change all the time. Choose at creation: it may be fixed afterwards.',
  'Items come out at −14 LUFS each, or at what sound of the stream or of an item says; while pendingSound of a live ' +
    'stream is not 0, some are sent as they are. Songs of an audio playlist crossfade by join of sound, ' +
    'and videos are heard under them by its under; while pendingJoins is not 0, some of that is not there yet.',
  'Pictures of another shape have black bars; look of the stream or of an item crops them, or puts a blur behind. ' +
    'Its aspect makes the stream 9:16 or 1:1. While pendingLook of a live stream is not 0, some are sent as they were.',
  'To a connected channel in place of a destination: create_connection, and give its link to the person who owns the ' +
    'channel; get_connection until its state is ok; create_managed_settings; create_stream with streamDestination ' +
    'managed and managedSettingsID. Its field mirror says how far the platform is; list_stream_broadcasts has ' +
    'titles, health and viewers.',
  'Whatever takes time answers at once and is polled: every 2 seconds is enough. ' +
    'Times are ISO 8601; durations are in seconds; 1 credit is 1 US cent.',
  'A refusal has isError and structuredContent.problem with a stable code, a detail that says what to do, ' +
    'and errors that point at fields. A code that means nothing to you is explained at the address in its ' +
    'type.',
  'Ask the user before you start what costs credits, stop what is live, or delete anything.',
].join('\n');

const putVideosLive: Prompt = {
  name: 'put_videos_live',
  title: 'Put this folder of videos live',
  description: 'Uploads the videos of a folder, or imports links, and streams them in a loop.',
  scopes: ['service:read', 'service:write'],
  arguments: [
    { name: 'videos', description: 'A folder on this machine, or links.', required: true },
    {
      name: 'destination',
      description: 'Where to: the name of a destination that is there, or an RTMP address.',
      required: false,
    },
  ],
  text: ({ videos = '', destination }) =>
    [
      `Stream these videos in a loop, around the clock: ${videos}`,
      `Destination: ${destination ?? 'ask me; list_destinations has those that are there'}.`,
      '',
      '1. List the videos in the order of their names and show me the order. For each file: ' +
        'create_upload with its name, media type and size, create_upload_url, PUT the bytes with the headers ' +
        'given, complete_upload. For each link: import_upload.',
      '2. Poll get_upload for each until probeState is completed. ' +
        'Tell me of those that failed and why, and go on with the others.',
      '3. Find the destination, or make it with create_destination; ask me for its stream key. ' +
        'Never repeat the key.',
      '4. create_stream with the destinationID and streamBackend manifest, then create_playlist for it (kind video, ' +
        'mode sequential), then apply_playlist_operations with one add for each upload.',
      '5. get_stream_readiness. Do what its issues suggest, or ask me.',
      '6. get_billing_overview: tell me what is left. Ask me before you start, as it costs credits by the minute.',
      '7. start_stream, then poll get_stream until state is active. ' +
        'Tell me the result, and what get_stream_stats says.',
    ].join('\n'),
};

const explainStream: Prompt = {
  name: 'explain_stream',
  title: 'Why is my stream not ready?',
  description: 'Finds out what a stream lacks, or why it is not on air, and what to do.',
  scopes: ['service:read'],
  arguments: [{ name: 'stream', description: 'The name or the id of the stream.', required: true }],
  text: ({ stream = '' }) =>
    [
      `Why is my stream “${stream}” not on air?`,
      '',
      '1. Find it: get_stream with its id, or list_streams and its name. ' +
        'Look at status (what I want), state (what is), stateReason and the last transitions.',
      '2. get_stream_readiness: issues of stage PREFLIGHT keep it from starting, those of PREPARATION say what ' +
        'a start would leave out. Each has a suggestion.',
      '3. Look at what the issues are about: get_upload and its failure, get_playlist and the failure of its ' +
        'items, get_destination, get_billing_overview.',
      '4. If it should be live and is failing, get_stream_stats says whether anything arrives there.',
      '',
      "Tell me in plain words what is wrong, whose fault it is (mine, the destination's, the file's or yours), " +
        'and the smallest thing to do about it. Change nothing before I agree.',
    ].join('\n'),
};

const explainSpending: Prompt = {
  name: 'explain_spending',
  title: 'What did I spend?',
  description: 'Adds up credits and live time by day and by stream, and how long the credits will last.',
  scopes: ['service:read', 'service:billing'],
  arguments: [{ name: 'period', description: 'Such as “last week”; by default the last 30 days.', required: false }],
  text: ({ period }) =>
    [
      `What did I spend in ${period ?? 'the last 30 days'}?`,
      '',
      '1. get_usage_analytics with from and to of that period and granularity day, in my time zone if you know ' +
        'it. The totals are of all streams.',
      '2. list_streams, then get_usage_analytics with each streamID for its share.',
      '3. get_billing_overview: creditsLeft is what there is at this instant. 1 credit is 1 US cent.',
      '4. list_invoices for what was bought in that time.',
      '',
      'Answer with a short table by stream: hours live, credits, dollars. ' +
        'Then the total, what is left, and how long that lasts at the pace of the last days. ' +
        'Say what is unusual, if anything is.',
    ].join('\n'),
};

export const guidance: Pick<McpContent, 'prompts' | 'instructions'> = {
  instructions,
  prompts: [putVideosLive, explainStream, explainSpending],
};
