// The instructions and prompts of the MCP server, in addition to the descriptions of tools.
// The texts name tools; a test checks that the catalogue has these tools.
import type { McpContent, Prompt } from '../surfaces/mcp/server.ts';

const instructions = [
  'This service keeps live streams running around the clock: it loops uploaded media to destinations such as ' +
    'YouTube, Twitch or your own ingest. Live minutes cost credits.',
  'Terms: an upload is a file. A playlist is an ordered list of uploads that belongs to a stream, and ' +
    'outlives it. A destination is an address with its secret key. A stream plays its playlists, or a single ' +
    'upload, to its destinations.',
  'To go live with files: create_upload, create_upload_url, PUT the file, complete_upload (or import_upload for ' +
    'a link); create_destination; create_stream; create_playlist and apply_playlist_operations, or ' +
    'videoUploadObjectID of the stream for a single file; get_stream_readiness; start_stream; then get_stream ' +
    'until its state is active. The stream is live only then.',
  'streamBackend of a stream: choose manifest for content that loops for a long time, such as a finished ' +
    'playlist or a 24/7 channel. Its media is prepared once, so the stream never falls behind, but the first ' +
    'start waits for the preparation. Choose ffmpeg to be on the air within a second, or if items change all the ' +
    'time. Choose when you create the stream: the setting may be fixed afterwards.',
  'Sound: every item is normalized to −14 LUFS, or to the value in sound of the stream or the item. While ' +
    'pendingSound of a live stream is not 0, some items still play at their old loudness. sound.join crossfades ' +
    'the songs of an audio playlist, and sound.under mixes the sound of videos under them. While pendingJoins is ' +
    'not 0, some of these joins are not prepared yet.',
  'Look: pictures of another aspect ratio get black bars. look of the stream or the item crops them, or adds a ' +
    'blurred background. Its aspect makes the stream 9:16 or 1:1. While pendingLook of a live stream is not 0, ' +
    'some items are still shown in their old look.',
  'To stream to a connected channel in place of a destination: create_connection, and give its link to the ' +
    'person who owns the channel; get_connection until its state is ok; create_managed_settings; create_stream ' +
    'with streamDestination managed and managedSettingsID. Its field mirror shows whether the platform is up to ' +
    'date. list_stream_broadcasts returns titles, health and viewers.',
  'Long operations return immediately. Poll their result; every 2 seconds is enough. Times are ISO 8601. ' +
    'Durations are in seconds. 1 credit is 1 US cent.',
  'A refused call has isError and structuredContent.problem: a stable code, a detail with the remedy, and ' +
    'errors that point to fields. The URL in its type explains the code.',
  'Ask the user before you start a stream, which costs credits, stop a live stream, or delete anything.',
].join('\n');

const putVideosLive: Prompt = {
  name: 'put_videos_live',
  title: 'Put this folder of videos live',
  description: 'Uploads the videos of a folder, or imports them from links, and streams them in a loop.',
  scopes: ['service:read', 'service:write'],
  arguments: [
    { name: 'videos', description: 'Folder on this machine, or links.', required: true },
    {
      name: 'destination',
      description: 'Name of an existing destination, or a new address.',
      required: false,
    },
  ],
  text: ({ videos = '', destination }) =>
    [
      `Stream these videos in a loop, around the clock: ${videos}`,
      `Destination: ${destination ?? 'ask me; list_destinations returns the existing ones'}.`,
      '',
      '1. List the videos by name and show me the order. For each file: create_upload with its name, media type ' +
        'and size, create_upload_url, PUT the file with the given headers, complete_upload. For each link: ' +
        'import_upload.',
      '2. Poll get_upload for each upload until probeState is completed. Report failed uploads and their ' +
        'reasons to me, and continue with the others.',
      '3. Find the destination, or create it with create_destination; ask me for its stream key. Never repeat ' +
        'the key.',
      '4. create_stream with the destinationID and streamBackend manifest, then create_playlist for it (kind video, ' +
        'mode sequential), then apply_playlist_operations with one add for each upload.',
      '5. get_stream_readiness. Follow the suggestions of its issues, or ask me.',
      '6. get_billing_overview: show me the credits that are left. Ask me before you start the stream, because ' +
        'it costs credits per minute.',
      '7. start_stream, then poll get_stream until state is active. Show me the result and the measurements ' +
        'from get_stream_stats.',
    ].join('\n'),
};

const explainStream: Prompt = {
  name: 'explain_stream',
  title: 'Why is my stream not ready?',
  description: 'Explains why a stream cannot start or is not on the air, and the remedy.',
  scopes: ['service:read'],
  arguments: [{ name: 'stream', description: 'Name or ID of the stream.', required: true }],
  text: ({ stream = '' }) =>
    [
      `Why is my stream “${stream}” not on air?`,
      '',
      '1. Find it: get_stream with its ID, or list_streams with its name. Look at status (the state I want), ' +
        'state (the actual state), stateReason and the last transitions.',
      '2. get_stream_readiness: issues of stage PREFLIGHT keep the stream from starting; issues of stage ' +
        'PREPARATION describe what a start would leave out. Each has a suggestion.',
      '3. Look at the resources that the issues name: get_upload and its failure, get_playlist and the failures ' +
        'of its items, get_destination, get_billing_overview.',
      '4. If the stream should be live and is failing, get_stream_stats shows whether media reaches the ' +
        'destination.',
      '',
      "Explain in plain words what is wrong, whose fault it is (mine, the destination's, the file's or yours), " +
        'and the smallest fix. Change nothing before I agree.',
    ].join('\n'),
};

const explainSpending: Prompt = {
  name: 'explain_spending',
  title: 'What did I spend?',
  description: 'Sums credits and live time by day and by stream, and estimates how long the credits will last.',
  scopes: ['service:read', 'service:billing'],
  arguments: [
    { name: 'period', description: 'Period, such as “last week”. Default: the last 30 days.', required: false },
  ],
  text: ({ period }) =>
    [
      `What did I spend in ${period ?? 'the last 30 days'}?`,
      '',
      '1. get_usage_analytics with from and to of that period and granularity day, in my time zone if you know ' +
        'it. The totals include all streams.',
      '2. list_streams, then get_usage_analytics with each streamID for its share.',
      '3. get_billing_overview: creditsLeft is the current balance. 1 credit is 1 US cent.',
      '4. list_invoices for the purchases in that period.',
      '',
      'Answer with a short table by stream: hours live, credits, dollars. Then add the total, the credits left, ' +
        'and how long they last at the pace of the last days. Point out anything unusual.',
    ].join('\n'),
};

export const guidance: Pick<McpContent, 'prompts' | 'instructions'> = {
  instructions,
  prompts: [putVideosLive, explainStream, explainSpending],
};
