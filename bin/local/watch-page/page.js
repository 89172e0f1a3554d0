// The watch page: plays a channel, shows its facts, and resumes when the stream or the platform is back.
const pollIntervalMs = 1000;
/** Time without a new picture, although frames arrive, after which the player is replaced. */
const stallLimitMs = 6000;
const maxEndedChannels = 6;
/** Time for which an ended channel stays visible: its publisher may come back at once. */
const keepEndedMs = 15_000;
const codecNames = { h264: 'H.264', hevc: 'HEVC', av1: 'AV1', aac: 'AAC', mp3: 'MP3' };

const element = (id) => document.getElementById(id);
const video = element('video');

/** The channel that the viewer chose. It is in the address, so that a reload keeps it. Null: the first live one. */
let chosenID = location.hash.slice(1) || null;
let shownID = null;
/** Time when a channel was last live. */
let liveAt = -Infinity;
/**
 * The current player, and the time when its picture last changed. Null while nothing plays.
 * @type {{ player: object, source: string, lastTime: number, movedAt: number } | null}
 */
let playing = null;

await showInfo();
await poll();

async function poll() {
  try {
    const response = await fetch('/watch/channels', { cache: 'no-store' });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    show(await response.json());
    element('offline').hidden = true;
  } catch {
    element('offline').hidden = false;
    stop();
  }
  setTimeout(() => void poll(), pollIntervalMs);
}

function show(channels) {
  const live = channels.filter((channel) => channel.live);
  if (live.length > 0) liveAt = performance.now();
  const channel = find(channels, chosenID) ?? find(live, shownID) ?? live[0] ?? find(channels, shownID);
  const isOver = performance.now() - liveAt > keepEndedMs && channel?.id !== chosenID;
  const showsNothing = !channel || isOver;
  element('nothing').hidden = !showsNothing;
  element('watching').hidden = showsNothing;
  if (showsNothing) {
    document.title = 'Loop streaming';
    return stop();
  }
  shownID = channel.id;
  document.title = `${channel.live ? '● ' : ''}${channel.app} – Loop streaming`;
  follow(channel);
  showState(channel);
  showFacts(channel);
  showChannels(channels, channel);
}

/** Starts or ends the player as the channel requires. A new connection or codec requires a new player. */
function follow(channel) {
  const source = [channel.id, channel.connections, channel.videoCodec, channel.audioCodec].join();
  if (playing && (!channel.live || playing.source !== source || isStalled())) stop();
  if (!playing && channel.live && (channel.videoCodec || channel.audioCodec)) play(channel, source);
}

function play(channel, source) {
  const player = mpegts.createPlayer(
    { type: 'flv', isLive: true, url: `/watch/channels/${channel.id}.flv` },
    {
      enableStashBuffer: false,
      lazyLoad: false,
      autoCleanupSourceBuffer: true,
      // Seconds behind the newest frame: beyond the first value, the player jumps to the second.
      liveBufferLatencyChasing: true,
      liveBufferLatencyMaxLatency: 3,
      liveBufferLatencyMinRemain: 0.8,
    },
  );
  const current = { player, source, lastTime: 0, movedAt: performance.now() };
  playing = current;
  // The next poll starts another player if the channel is still live.
  const end = () => {
    if (playing === current) stop();
  };
  player.on(mpegts.Events.ERROR, end);
  player.on(mpegts.Events.LOADING_COMPLETE, end);
  player.attachMediaElement(video);
  player.load();
  // Browsers refuse to play sound until the viewer has clicked somewhere: then the video plays without it.
  video.play().catch(() => {
    setMuted(true);
    video.play().catch(() => {});
  });
}

function stop() {
  const ended = playing;
  playing = null;
  ended?.player.destroy();
}

function isStalled() {
  if (video.currentTime !== playing.lastTime || document.hidden) {
    playing.lastTime = video.currentTime;
    playing.movedAt = performance.now();
  }
  return performance.now() - playing.movedAt > stallLimitMs;
}

function showState({ live, videoCodec }) {
  const isMoving = playing !== null && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
  element('badge').textContent = live ? 'LIVE' : 'ENDED';
  element('badge').className = live ? 'badge live' : 'badge ended';
  setText(element('waiting'), stateText({ live, isMoving, hasVideo: Boolean(videoCodec) }));
}

/** The text in place of a picture, or over it; empty while a picture moves. */
function stateText({ live, isMoving, hasVideo }) {
  if (!live) return 'This stream has ended. It continues here when it is started again.';
  if (!isMoving) return 'Connecting …';
  return hasVideo ? '' : 'Sound only';
}

function showFacts(channel) {
  const facts = factsOf(channel);
  const list = element('facts');
  while (list.children.length < facts.length) list.append(make('div', {}, make('dt'), make('dd')));
  for (const [index, { name, value, title = '', isWrong = false }] of facts.entries()) {
    const row = list.children[index];
    row.title = title;
    row.classList.toggle('wrong', isWrong);
    setText(row.children[0], name);
    setText(row.children[1], value);
  }
}

function factsOf(channel) {
  const { live, width, height, framerate, connections, timestampRegressions, videoFrames, audioFrames } = channel;
  const codecs = [channel.videoCodec, channel.audioCodec].filter(Boolean).map((codec) => codecNames[codec] ?? codec);
  return [
    { name: 'Size', value: width && height ? `${width} × ${height}` : '–' },
    { name: 'Framerate', value: framerate ? `${Number(framerate.toFixed(2))} fps` : '–' },
    { name: 'Codecs', value: codecs.join(' + ') || '–' },
    { name: 'Bitrate', value: live ? `${(channel.bitrateKbps / 1000).toFixed(2)} Mbit/s` : '–' },
    { name: 'Up', value: live ? formatDuration(Date.now() - Date.parse(channel.connectedAt)) : '–' },
    {
      name: 'Media time',
      value: channel.lastTimestampMs === null ? '–' : formatDuration(channel.lastTimestampMs),
      title: 'The newest timestamp',
    },
    {
      name: 'Video frames',
      value: videoFrames.toLocaleString('en'),
      title: `and ${audioFrames.toLocaleString('en')} audio frames`,
    },
    { name: 'Publishers so far', value: String(connections) },
    {
      name: 'Timestamp faults',
      value: String(timestampRegressions),
      title: 'How often a timestamp was lower than the one before',
      isWrong: timestampRegressions > 0,
    },
    { name: 'Buffered here', value: bufferedText(), title: 'How far this page is behind the newest frame' },
  ];
}

function bufferedText() {
  if (!playing || video.buffered.length === 0) return '–';
  const newest = video.buffered.end(video.buffered.length - 1);
  return `${(newest - video.currentTime).toFixed(1)} s`;
}

/** Keeps existing buttons, so that the focus does not move. */
function showChannels(channels, chosen) {
  const live = channels.filter((channel) => channel.live);
  const ended = channels.filter((channel) => !channel.live && channel !== chosen).slice(-maxEndedChannels);
  const shown = [...live, ...(chosen.live ? [] : [chosen]), ...ended];
  const list = element('channels');
  for (const item of Array.from(list.children)) {
    if (!find(shown, item.dataset.id)) item.remove();
  }
  for (const [index, channel] of shown.entries()) {
    const item = [...list.children].find(({ dataset }) => dataset.id === channel.id) ?? makeChannelItem(channel);
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
    const button = item.firstElementChild;
    button.setAttribute('aria-pressed', String(channel === chosen));
    button.classList.toggle('live', channel.live);
    const liveFor = formatDuration(Date.now() - Date.parse(channel.connectedAt));
    setText(button.querySelector('.about'), channel.live ? `live for ${liveFor}` : 'ended');
  }
}

function makeChannelItem({ id, app }) {
  const button = make(
    'button',
    { type: 'button' },
    make('span', { className: 'dot' }),
    make('span', { className: 'name' }, `${app} · ${id.slice(0, 6)}`),
    make('span', { className: 'about' }),
  );
  button.addEventListener('click', () => {
    chosenID = id;
    history.replaceState(null, '', `#${id}`);
    stop();
  });
  const item = make('li', {}, button);
  item.dataset.id = id;
  return item;
}

async function showInfo() {
  const info = await fetch('/watch/info')
    .then((response) => response.json())
    .catch(() => ({ apiURL: `${location.origin}/v1`, rtmpURL: 'rtmp://127.0.0.1/live' }));
  for (const code of document.querySelectorAll('.rtmp-url')) code.textContent = info.rtmpURL;
  element('commands').append(
    comment('npm start prints the key'),
    `API=${info.apiURL}\nKEY=...\n\n`,
    comment('your streams, with their ids'),
    'curl -s $API/streams -H "X-API-Key: $KEY"\n\n',
    comment('start one'),
    'curl -X POST $API/streams/STREAM_ID/start -H "X-API-Key: $KEY"\n',
  );
}

function comment(text) {
  return make('span', { className: 'comment' }, `# ${text}\n`);
}

function setMuted(muted) {
  video.muted = muted;
  const button = element('sound');
  button.textContent = muted ? 'Unmute' : 'Mute';
  button.setAttribute('aria-pressed', String(!muted));
}

function toggleFullscreen() {
  void (document.fullscreenElement ? document.exitFullscreen() : element('screen').requestFullscreen());
}

function copyCommands() {
  const button = element('copy');
  void navigator.clipboard.writeText(element('commands').textContent).then(() => setText(button, 'Copied'));
  setTimeout(() => setText(button, 'Copy'), 2000);
}

element('sound').addEventListener('click', () => setMuted(!video.muted));
element('fullscreen').addEventListener('click', toggleFullscreen);
element('copy').addEventListener('click', copyCommands);
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || element('watching').hidden) return;
  if (event.key === 'm') setMuted(!video.muted);
  if (event.key === 'f') toggleFullscreen();
});

function find(channels, wantedID) {
  return channels.find(({ id }) => id === wantedID);
}

function make(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Changes a text only if it differs: screen readers read a changed text again, and a selection in it is lost. */
function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

function formatDuration(durationMs) {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const clock = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
  const hours = Math.floor(seconds / 3600);
  const days = Math.floor(hours / 24);
  if (days > 0) return `${days} d ${hours % 24}:${clock}`;
  return hours > 0 ? `${hours}:${clock}` : clock;
}
