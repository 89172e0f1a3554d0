// The live ingest of the local run: contributors take streams over by RTMP.
import type { Pool } from 'pg';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { LiveIngest } from '../../lambda/live/live-ingest.ts';
import { openRtmpListener } from '../../lambda/live/rtmp-listener.ts';
import type { Log } from '../../lambda/log.ts';
import type { ObjectStore } from '../../lambda/ports/object-store/object-store.ts';
import type { EncoderSettings } from '../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import { encoderChoice } from '../../lambda/publisher/media/choose-encoder.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';

export interface LocalLiveIngestOptions {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'write'>;
  readonly tools: MediaTools;
  /** The encoder for H.264. */
  readonly encoder: EncoderSettings;
  readonly log: Log;
}

export const usualLivePort = 1936;
/** Each session takes about a core. */
const mostSessions = 4;

/** Listens on 127.0.0.1 until it is disposed of. @returns the address for encoders */
export async function startLiveIngest(
  options: LocalLiveIngestOptions,
): Promise<AsyncDisposable & { readonly rtmpURL: string }> {
  const { tools, encoder, log } = options;
  const clock = () => new Date();
  const steadyClock = () => performance.now();
  const door = new LiveIngest({
    ...options,
    encoderFor: encoderChoice(tools, log, encoder),
    mostSessions,
    newID: (prefix) => newID(prefix, clock()),
    clock,
    steadyClock,
  });
  const listening = { door, tls: null, proxyProtocol: false, log, steadyClock };
  const listener = await openRtmpListener({ ...listening, port: usualLivePort }).catch(() =>
    openRtmpListener({ ...listening, port: 0 }),
  );
  return {
    rtmpURL: `rtmp://127.0.0.1:${listener.port}/live`,
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]();
      await listener.close();
    },
  };
}
