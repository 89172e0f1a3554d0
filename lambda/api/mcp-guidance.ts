// The instructions and prompts of the MCP server, in addition to the descriptions of tools.
// The texts name tools; a test checks that each is a tool of the default list, or an operation.
import type { McpContent, Prompt } from '../surfaces/mcp/server.ts';
import { toolTexts } from './mcp-tools.ts';

const instructions = [
  'This service keeps live streams running around the clock: it loops or programmes uploaded media, and sends it to ' +
    'one or more destinations over RTMP, SRT or HLS. Live minutes cost credits; 1 credit is 1 US cent.',
  'Terms: an upload is a file. A playlist is an ordered list of uploads that one stream loops. A collection is a set ' +
    'of uploads that fills itself by folder, tags or words. A programme plans a channel by days and hours, from ' +
    'collections. A destination is an address with its secret key. An output is one destination of a stream.',
  'To go live with files: upload_file, send the bytes, complete_upload (or import_upload for a link); ' +
    'create_destination; create_stream; create_playlist and apply_playlist_operations, or videoUploadObjectID of the ' +
    'stream for a single file; explain_stream; start_stream; then get_resource until state is active. The stream is ' +
    'live only then. create_stream_output sends it to further destinations, also while it is live.',
  'To programme a channel: create_collection, create_programme, update_programme, simulate_programme, ' +
    'compare_programme, publish_programme.',
  'streamBackend of a stream: manifest for content that loops for a long time. Its media is prepared once, so the ' +
    'stream never falls behind, but the first start waits for it; preparedPlaylistIDs keeps further playlists ready. ' +
    'ffmpeg to be on the air within a second. Choose at creation: it may be fixed afterwards.',
  'sound of a stream normalizes loudness and crossfades songs; look has the aspect ratio, framing, transitions, ' +
    'logo, titles and captions. While pendingSound, pendingJoins or pendingLook of a live stream is not 0, some ' +
    'items still play as before.',
  'Answers are short: fields without a value are left out, and detail: "full" returns all. Further operations, such ' +
    'as those that delete, connect a channel or send webhooks, are found by find_operations and called by ' +
    'read_operation or change_operation. Tools that create accept idempotencyKey: a repeated call with the same key ' +
    'returns the first answer.',
  'Long work returns at once. Poll it every 2 seconds. Times are ISO 8601, durations are in seconds.',
  'A refused call has isError and structuredContent.problem: a code, a detail with the remedy, and errors that point ' +
    'to arguments.',
  'Ask the user before you start a stream, which costs credits, stop a live stream, publish, or delete anything.',
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
      `Destination: ${destination ?? 'ask me; find_resources with kind destinations returns the existing ones'}.`,
      '',
      '1. List the videos by name and show me the order. For each file: upload_file with its name, media type and ' +
        'size, send the bytes as its answer says, complete_upload. For each link: import_upload.',
      '2. Poll get_resource (kind uploads) until probeState is completed. Report failed uploads with their failure, ' +
        'and continue with the others.',
      '3. Find the destination, or create it with create_destination; ask me for its key. Never repeat the key.',
      '4. create_stream with destinationID and streamBackend manifest, then create_playlist for it (kind video, mode ' +
        'sequential), then apply_playlist_operations with one add for each upload.',
      '5. explain_stream. Follow the suggestions of its issues, or ask me.',
      '6. get_spending: show me the credits that are left, and creditsPerHour of the stream. Ask me before the start.',
      '7. start_stream, then poll get_resource (kind streams) until state is active. Show me the result and the ' +
        'stats of explain_stream.',
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
      '1. Find its ID: find_resources with kind streams and its name in q.',
      '2. explain_stream: status is the state that I want, state the observed one, and stateReason the difference. ' +
        'Issues of stage PREFLIGHT keep it from starting; issues of stage PREPARATION list parts that a start leaves ' +
        'out. Each output has a state and a reason of its own.',
      '3. get_resource for the things that the issues name: a failed upload, a playlist, a destination. ' +
        'find_resources with kind incidents and the filter open has faults with their effect on viewers.',
      '',
      "Explain in plain words what is wrong, whose fault it is (mine, the destination's, the file's or yours), and " +
        'the smallest remedy. Change nothing before I agree.',
    ].join('\n'),
};

const programmeChannel: Prompt = {
  name: 'programme_channel',
  title: 'Programme my channel',
  description:
    'Plans a channel by days and hours, simulates the plan, compares it with the live version, and publishes it.',
  scopes: ['service:read', 'service:write'],
  arguments: [
    { name: 'stream', description: 'Name or ID of the stream.', required: true },
    {
      name: 'wishes',
      description: 'Content by day and hour, such as “music all day, news at 7 on weekdays”.',
      required: true,
    },
  ],
  text: ({ stream = '', wishes = '' }) =>
    [
      `Programme my stream “${stream}”: ${wishes}`,
      '',
      '1. find_resources: the stream, its programme (kind programmes, filter streamID), the collections, and the ' +
        'folders and tags of the uploads. Ask me which time zone the hours are in.',
      '2. create_collection for each kind of content that has none yet. If count is 0, nothing matches: ask me.',
      '3. create_programme if there is none, then update_programme: one block without rule for the usual content, ' +
        'one block with rule, at and minutes for each other time, inserts for jingles, separation for repetitions, ' +
        'and filler if a block must begin to the second.',
      '4. simulate_programme for 7 days. Repair each issue with update_programme, or tell me what content is missing.',
      '5. compare_programme: show me the rows that viewers will see differently, and the rules that changed.',
      '6. Ask me. Only then publish_programme, and show me the next rows of get_stream_timeline.',
    ].join('\n'),
};

const reviewAir: Prompt = {
  name: 'review_air',
  title: 'What was on air?',
  description: 'Lists what a stream played in a period, what the destinations acknowledged, and what was missing.',
  scopes: ['service:read'],
  arguments: [
    { name: 'stream', description: 'Name or ID of the stream.', required: true },
    { name: 'period', description: 'Period, such as “yesterday”. Default: the last 24 hours.', required: false },
  ],
  text: ({ stream = '', period }) =>
    [
      `What was on air on my stream “${stream}” in ${period ?? 'the last 24 hours'}?`,
      '',
      '1. Find its ID: find_resources with kind streams and its name in q.',
      '2. get_stream_timeline with from and to of that period, page by page. aired has the parts that destinations ' +
        'acknowledged: a row without them was planned, but not taken.',
      '3. find_resources with kind incidents for faults in that period.',
      '',
      'Answer with a table: start, length, title, acknowledged or not. Then add gaps with their cause. If I need ' +
        'evidence, read_operation with get_stream_proof returns a signed statement of a day.',
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
      '1. get_spending with from and to of that period and granularity day, in my time zone if you know it. streams ' +
        'has the share of each stream, days that of each day, and balance the credits that are left.',
      '2. find_resources with kind invoices for the purchases in that period.',
      '',
      'Answer with a short table by stream: hours live, credits, dollars. Then add the total, the credits left, and ' +
        'how long they last at the pace of the last days. Point out anything unusual.',
    ].join('\n'),
};

export const guidance: McpContent = {
  toolTexts,
  instructions,
  prompts: [putVideosLive, explainStream, programmeChannel, reviewAir, explainSpending],
};
