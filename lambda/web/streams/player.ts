// Plays an HLS playlist in a video element. It is loaded when the user opens a moving preview.
import Player from 'hls.js';

/** Twice the first wait for an encoded stream, which begins to write segments when a viewer requests them. */
const patienceMs = 20_000;
const policy = {
  maxTimeToFirstByteMs: patienceMs,
  maxLoadTimeMs: patienceMs,
  timeoutRetry: { maxNumRetry: 2, retryDelayMs: 0, maxRetryDelayMs: 0 },
  errorRetry: { maxNumRetry: 8, retryDelayMs: 1000, maxRetryDelayMs: 2000 },
};

/**
 * @param onFail called once if playback fails for good; `isUndecodable` if the browser cannot decode the stream
 * @returns a function that ends playback
 */
export function play(video: HTMLVideoElement, url: string, onFail: (isUndecodable: boolean) => void): () => void {
  if (!Player.isSupported()) {
    // iPhones play HLS natively.
    video.src = url;
    video.addEventListener('error', () => onFail(true), { once: true });
    return () => video.removeAttribute('src');
  }
  // The page's policy forbids workers, and fragmented MP4 needs none.
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
