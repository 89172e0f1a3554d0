// Plays an HLS playlist in a video element. It is loaded when somebody asks for a moving picture.
import Player from 'hls.js';

/** Twice the first wait of an encoded stream, which begins to write when it is looked at. */
const patienceMs = 20_000;
const policy = {
  maxTimeToFirstByteMs: patienceMs,
  maxLoadTimeMs: patienceMs,
  timeoutRetry: { maxNumRetry: 2, retryDelayMs: 0, maxRetryDelayMs: 0 },
  errorRetry: { maxNumRetry: 8, retryDelayMs: 1000, maxRetryDelayMs: 2000 },
};

/**
 * @param onFail is told once, when it cannot go on: whether the browser cannot decode what is sent
 * @returns what ends it
 */
export function play(video: HTMLVideoElement, url: string, onFail: (isUndecodable: boolean) => void): () => void {
  if (!Player.isSupported()) {
    // iPhones play HLS by themselves.
    video.src = url;
    video.addEventListener('error', () => onFail(true), { once: true });
    return () => video.removeAttribute('src');
  }
  // The policy of the page lets no worker in, and what is sent in fragments of MP4 needs none.
  const hls = new Player({
    enableWorker: false,
    manifestLoadPolicy: { default: policy },
    playlistLoadPolicy: { default: policy },
    backBufferLength: 10,
  });
  hls.on(Player.Events.ERROR, (_, { fatal, type, details }) => {
    if (!fatal) return;
    if (type === Player.ErrorTypes.MEDIA_ERROR && !details.toLowerCase().includes('codec'))
      return hls.recoverMediaError();
    onFail(type === Player.ErrorTypes.MEDIA_ERROR);
    hls.destroy();
  });
  hls.loadSource(url);
  hls.attachMedia(video);
  return () => hls.destroy();
}
