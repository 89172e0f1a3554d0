// The tools that AI clients see by default: the words of each for a model, and the fields of short answers.
// The texts name operations and fields; tests check that they exist, and the form of the sentences.
import type { ToolTexts } from '../surfaces/mcp/tools.ts';

/** The words of a text. */
const words = (text: string): readonly string[] => text.split(' ');

const streamID = 'ID of the stream, as find_resources returns it.';
const playlistID = 'ID of the playlist, as create_playlist returns it.';
const programmeID = 'ID of the programme, as create_programme returns it.';
const folder = 'Folder of the library, such as Music/Live.';
const sound =
  'Loudness, crossfades of songs and sound under videos. find_operations with name create_stream has its fields.';
const look =
  'Aspect ratio, framing, transitions, logo, titles, captions and clock. find_operations with name create_stream has ' +
  'its fields.';

const streams: ToolTexts['tasks'] = [
  {
    name: 'explain_stream',
    title: 'Explain the state of a stream',
    description:
      'Explains why a stream is or is not on the air, and checks whether it can start. Returns stream (status is ' +
      'what the user wants, state what is observed, stateReason why they differ, outputs with their own states), ' +
      'readiness (issues of stage PREFLIGHT prevent a start, issues of stage PREPARATION say what a start leaves ' +
      'out, each with its remedy), and stats (bitrate in kbit/s, frames per second, the current item). Next: ' +
      'follow the suggestion of the first issue, or start_stream if ready is true.',
    reads: { stream: 'getStream', readiness: 'getStreamReadiness', stats: 'getStreamStats' },
    says: { id: streamID },
  },
  {
    operation: 'createStream',
    description:
      'Creates a stream, which loops media to one or more destinations around the clock, and does not start it. ' +
      'Every field is optional, and update_stream sets it later. Returns the stream with its id. Next: ' +
      'create_playlist for several files or create_programme for a planned channel (a single file is ' +
      'videoUploadObjectID), then explain_stream and start_stream.',
    lists: words(
      'name destinationID videoUploadObjectID audioUploadObjectID streamBackend quality framerate ' +
        'videoCodec streamDuration preparedPlaylistIDs sound look streamDestination managedSettingsID',
    ),
    says: {
      destinationID: 'ID of the first destination. create_stream_output adds more.',
      videoUploadObjectID: 'ID of an upload to loop, in place of a video playlist. An image is a still picture.',
      audioUploadObjectID: 'ID of an upload whose sound replaces that of the video.',
      streamBackend:
        'manifest: media is prepared once and then sent as it is; best for long loops, but the first start waits. ' +
        'ffmpeg: encodes while it sends; on the air within a second, at about 100 times the computing power.',
      quality: 'Lines of the picture. Default: that of the user.',
      framerate: 'Frames per second. Default: that of the user.',
      videoCodec: 'Default: h264. hevc and av1 need streamBackend manifest and a destination that takes them.',
      preparedPlaylistIDs: 'IDs of further playlists to keep prepared, so that a start with them does not wait.',
      streamDestination: 'managed: streams to a connected channel, with managedSettingsID.',
      managedSettingsID:
        'ID of settings of a connected channel. find_operations with query “connect channel” has them.',
    },
    outlines: { sound, look },
  },
  {
    operation: 'updateStream',
    description:
      'Changes a stream: its media, destination, format, sound or look. Fields that are absent stay; null clears ' +
      'one. While the stream is live, only name, streamDuration, sound and look can change, and sound and look take ' +
      'effect from the next item. Returns the stream. Next: explain_stream.',
    lists: words(
      'id name destinationID playlistIDs preparedPlaylistIDs videoUploadObjectID audioUploadObjectID ' +
        'streamBackend quality framerate videoCodec streamDuration sound look',
    ),
    says: {
      id: streamID,
      destinationID: 'ID of the first destination.',
      playlistIDs: 'IDs of the playlists to play: at most one of kind video and one of kind audio.',
      preparedPlaylistIDs: 'IDs of further playlists to keep prepared.',
      videoUploadObjectID: 'ID of an upload to loop.',
      audioUploadObjectID: 'ID of an upload whose sound replaces that of the video.',
      streamBackend: 'As in create_stream.',
      quality: 'Lines of the picture.',
      framerate: 'Frames per second.',
      videoCodec: 'As in create_stream.',
    },
    outlines: { sound, look },
  },
  {
    operation: 'startStream',
    description:
      'Starts a stream, which costs credits for each live minute: ask the user first. Publishes changed drafts of ' +
      'its playlists. Returns the stream at once, with state activating or preparing; a live stream is returned ' +
      'unchanged. Next: poll get_resource until state is active or failed.',
    says: { id: streamID },
  },
  {
    operation: 'stopStream',
    description:
      'Stops a stream: its media and its cost end within 2 seconds. Ask the user first. Returns the stream at once, ' +
      'with state stopping. A stream that repeats by a schedule then waits for its next start. Next: poll ' +
      'get_resource until state is stopped or scheduled.',
    lists: ['id', 'endsRecurrence'],
    says: { id: streamID, endsRecurrence: 'true: the schedule ends too, and nothing starts again.' },
  },
  {
    operation: 'scheduleStream',
    description:
      'Schedules a stream to start and end by itself, once or by a rule that repeats, to the second. Whether it is ' +
      'ready is only checked at the start. Returns the stream with state scheduled. Next: explain_stream now, so ' +
      'that the start is not refused.',
    lists: ['id', 'scheduleStartAt', 'scheduleEndAt', 'recurrence'],
    says: { id: streamID },
  },
  {
    operation: 'createStreamOutput',
    description:
      'Adds a further destination to a stream, also while it is live: the same picture then goes to several places. ' +
      'Each one costs 60 % of the price of the first while it is live. Returns the output with its id. Next: poll ' +
      'explain_stream until the state of the output is live.',
    lists: ['id', 'destinationID', 'name'],
    says: { id: streamID, destinationID: 'ID of a destination that the stream does not have yet.' },
  },
  {
    operation: 'getStreamTimeline',
    description:
      'Lists what is, was and will be on the air on a stream, to the frame. Returns rows in data, each with startAt, ' +
      'endAt, uploadID and name; aired has the parts that the destinations acknowledged. The range has at most 31 ' +
      'days. Next: skip_item with a row, or the page of cursor.',
    lists: ['id', 'from', 'to', 'limit', 'cursor'],
    says: {
      id: streamID,
      from: 'Start of the range. Default: now, so the first row is the current item.',
      limit: 'Maximum number of rows.',
    },
  },
  {
    operation: 'skipItem',
    description:
      'Skips the current or a future item of a running stream: the next item begins in its place, at least 10 ' +
      'seconds from now. Returns when it begins. Next: get_stream_timeline.',
    lists: ['id', 'startAt', 'uploadID'],
    says: {
      id: streamID,
      startAt: 'Field startAt of the row of get_stream_timeline.',
      uploadID: 'ID of its upload, in the same row.',
    },
  },
];

const library: ToolTexts['tasks'] = [
  {
    name: 'upload_file',
    title: 'Upload a file',
    description:
      'Creates an upload for one video, audio or image file of at most 5 GiB, and a presigned URL for its bytes. ' +
      'Returns id, url, method and headers; the url is a secret. Next: send the whole file to url with that method ' +
      'and those headers, then complete_upload. For files above 5 GiB, find_operations with query “send parts”.',
    chain: ['createUpload', 'createUploadUrl'],
    lists: ['name', 'mimeType', 'fileSize', 'folder', 'tags'],
    says: {
      name: 'Name of the file, for people.',
      mimeType: 'Media type, such as video/mp4.',
      fileSize: 'Size in bytes. Exactly as many must arrive.',
      folder,
      tags: 'Tags, by which collections find uploads.',
    },
  },
  {
    operation: 'completeUpload',
    description:
      'Completes an upload after its bytes were sent: the file is then examined. Returns the upload. Next: poll ' +
      'get_resource until probeState is completed or failed. Repeating the call changes nothing.',
    says: { id: 'ID of the upload, as upload_file returns it.' },
  },
  {
    operation: 'importUpload',
    description:
      'Imports a file of at most 100 GiB from a link, in the background. Share links of Google Drive, Dropbox, ' +
      'OneDrive and Box work if anyone with the link can download. Returns the upload with its id. Next: poll ' +
      'get_resource until probeState is completed or failed.',
    lists: ['url', 'name', 'folder', 'tags'],
    says: { name: 'Name for people. Default: that of the file.', folder, tags: 'Tags, by which collections find it.' },
  },
  {
    operation: 'applyUploadOperations',
    description:
      'Organizes the library: renames, moves, tags, untags or deletes many uploads, or folders with their content. ' +
      'All operations apply in order, or none if one fails. Ask the user before it deletes. Returns the changed ' +
      'uploads. Next: find_resources, to see them.',
    lists: ['operations'],
  },
];

const playlists: ToolTexts['tasks'] = [
  {
    operation: 'createPlaylist',
    description:
      'Creates an empty playlist, an ordered list of uploads that its stream loops. The stream plays it, unless it ' +
      'has one of this kind or is live: then set playlistIDs with update_stream. Returns the playlist with its id. ' +
      'Next: apply_playlist_operations.',
    lists: ['streamID', 'kind', 'mode', 'name'],
    says: { streamID: 'ID of the stream to play it.', name: 'Name for people.' },
  },
  {
    operation: 'applyPlaylistOperations',
    description:
      'Edits the draft of a playlist: adds, removes, moves, replaces and configures items, in order; if one ' +
      'operation fails, none applies. get_resource shows the items with their IDs. Returns the playlist. Next: ' +
      'publish_playlist if the stream is live; a start publishes by itself.',
    lists: ['id', 'operations'],
    says: { id: playlistID },
    outlines: {
      sound: 'Loudness and crossfade of this item. find_operations with this name has the fields.',
      look: 'Framing and transition of this item, as for sound.',
    },
  },
  {
    operation: 'publishPlaylist',
    description:
      'Publishes the draft of a playlist. A running stream switches to it at the end of an item, at least 10 seconds ' +
      'from now, and continues after that item. Returns the playlist. Next: poll get_resource until publishStatus is ' +
      'IDLE or FAILED.',
    lists: ['id', 'from'],
    says: { id: playlistID, from: 'first: begins with the first item of the list.' },
  },
];

const programmes: ToolTexts['tasks'] = [
  {
    operation: 'createCollection',
    description:
      'Creates a collection, a set of uploads that fills itself: an upload is in it as long as it matches source. ' +
      'Programmes draw from collections. Returns the collection with its id and count of uploads. Next: ' +
      'create_programme or update_programme.',
    lists: ['name', 'kind', 'source', 'order'],
    says: { name: 'Name for people.' },
  },
  {
    operation: 'createProgramme',
    description:
      'Creates a programme without rules, which plans what a stream plays by days and hours in place of a playlist. ' +
      'Returns the programme with its id. Next: create_collection for each kind of content, then update_programme.',
    says: { streamID: 'ID of the stream to plan.' },
  },
  {
    operation: 'updateProgramme',
    description:
      'Changes the rules in the draft of a programme: blocks of days and hours that draw from collections, inserts ' +
      'such as jingles, distances between repetitions, and filler. A field that is given is replaced as a whole: ' +
      'send all blocks to change one. Returns the programme. Next: simulate_programme.',
    lists: words('id timeZone blocks inserts separation filler'),
    says: { id: programmeID },
  },
  {
    operation: 'simulateProgramme',
    description:
      'Simulates what the draft of a programme would play, for up to 400 days, without writing anything. Returns ' +
      'issues (rules that cannot be kept), seconds and share of each block, and rows with the reason of each choice. ' +
      'Next: update_programme to repair an issue, or compare_programme.',
    lists: ['id', 'from', 'days', 'rows'],
    says: { id: programmeID },
    defaults: { rows: 20 },
  },
  {
    operation: 'compareProgramme',
    description:
      'Compares the draft of a programme with what is live, without writing anything. Returns the rows that would ' +
      'change, and the rules that differ. Next: show the user, then publish_programme.',
    says: { id: programmeID },
    defaults: { hours: 3 },
  },
  {
    operation: 'publishProgramme',
    description:
      'Publishes the draft of a programme: the stream plays it from then on, and a running stream from its next ' +
      'item, at least 10 seconds from now. Ask the user first. Returns the programme. Next: get_stream_timeline.',
    says: { id: programmeID },
  },
  {
    operation: 'queueItem',
    description:
      'Queues an upload in the programme of a running stream: it plays once, after the current item and the items ' +
      'queued before. Returns the queued item. Next: get_stream_timeline, for when it plays.',
    says: { id: programmeID, uploadID: 'ID of the upload to play.' },
  },
];

const others: ToolTexts['tasks'] = [
  {
    operation: 'createDestination',
    description:
      'Creates a destination, the address that a stream is sent to, over RTMP, SRT or HLS by HTTP PUT. The address ' +
      'and the key are those that the platform shows to the user; never repeat the key. Returns the destination ' +
      'with its id, without secrets. Next: create_stream or update_stream with destinationID, or ' +
      'create_stream_output.',
    lists: ['name', 'url', 'streamKey', 'backupURL', 'srt'],
    says: {
      name: 'Name for people.',
      url:
        'Address: rtmps://live.example.com/app, srt://HOST:PORT, or an https address to which file names are ' +
        'appended, with {streamKey} in it.',
      streamKey: 'Secret key of RTMP, or the key in an https address.',
    },
  },
  {
    name: 'get_spending',
    title: 'Get spending and usage',
    description:
      'Sums what was spent. 1 credit is 1 US cent. Returns balance (creditsLeft now, cost of storage), streams ' +
      '(those that cost most in the range, with seconds live and credits), and days (credits and seconds of each ' +
      'hour, day or month). Next: explain the result in a table, or find_operations with query “top up” to pay.',
    reads: { balance: 'getBillingOverview', streams: 'listStreamUsage', days: 'getUsageAnalytics' },
    lists: ['from', 'to', 'granularity', 'timeZone'],
    says: { granularity: 'Length of each row of days.' },
  },
];

export const toolTexts: ToolTexts = {
  tasks: [...streams, ...library, ...playlists, ...programmes, ...others],
  short: {
    everywhere: {
      Stream: words(
        'id name status state stateReason preparedShare playlistIDs videoUploadObjectID ' +
          'audioUploadObjectID destinationID outputs mirror watchURL quality framerate streamBackend ' +
          'creditsPerHour pendingLook pendingJoins pendingSound scheduleStartAt scheduleEndAt recurrence ' +
          'startedAt',
      ),
      Output: words('id destinationID name enabled state reason since'),
      StreamStats: words(
        'state startedAt uptimeSeconds bitrateKbps framesPerSecond droppedFrames reconnects loopCount ' +
          'currentItem sampledAt',
      ),
      TimelineRow: words('startAt endAt uploadID name title artist kind aired'),
      Upload: words(
        'id name folder tags title artist type uploaded probeState failure durationSeconds width height findings',
      ),
      Playlist: words('id streamID name kind mode version publishStatus publishFailure takesOverAt'),
      PlaylistItem: ['id', 'uploadID', 'name', 'durationSeconds', 'failure'],
      Collection: words('id name kind source order count durationSeconds complete'),
      Programme: words('id streamID kind version timeZone liveVersion plannedUntil planFailure'),
      SimulatedRow: words('startAt endAt kind uploadID name blockID insertID cutOff relaxed'),
      Destination: words('id name url platform archivedAt lastCheck'),
    },
    whenRead: {
      Upload: ['externalSource', 'usedBy'],
      Playlist: ['draft'],
      Programme: ['blocks', 'inserts', 'separation', 'filler', 'insertSecondsPerHour'],
    },
  },
};
