// The live ingest of the local run: contributors take streams over by RTMP or SRT.
import type { Pool } from 'pg';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { localPlaces } from '../../lambda/domain/live/ingest-places.ts';
import { AddressDelays } from '../../lambda/live/address-delays.ts';
import { listenerLimits } from '../../lambda/live/listener-limits.ts';
import { LiveIngest } from '../../lambda/live/live-ingest.ts';
import type { LiveIngestOptions } from '../../lambda/live/live-ingest.ts';
import { openRtmpListener } from '../../lambda/live/rtmp-listener.ts';
import { openSrtListener } from '../../lambda/live/srt-listener.ts';
import type { Log } from '../../lambda/log.ts';
import type { Sealer } from '../../lambda/ports/sealer/sealer.ts';
import type { EncoderSettings } from '../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import { encoderChoice } from '../../lambda/publisher/media/choose-encoder.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';

export interface LocalLiveIngestOptions {
  readonly pool: Pool;
  /** Opens passphrases of live inputs. */
  readonly sealer: Sealer | null;
  readonly objects: LiveIngestOptions['objects'];
  readonly tools: MediaTools;
  /** The encoder for H.264. */
  readonly encoder: EncoderSettings;
  /** Those of the machine. */
  readonly cores: number;
  readonly log: Log;
}

export const usualLivePort = 1936;
export const usualSrtPort = 9710;

/** Listens on 127.0.0.1 until it is disposed of. @returns the addresses for encoders */
export async function startLiveIngest(
  options: LocalLiveIngestOptions,
): Promise<AsyncDisposable & { readonly rtmpURL: string; readonly srtURL: string }> {
  const { tools, encoder, log } = options;
  const clock = () => new Date();
  const steadyClock = () => performance.now();
  const door = new LiveIngest({
    ...options,
    encoderFor: encoderChoice(tools, log, encoder),
    places: localPlaces(options.cores),
    newID: (prefix) => newID(prefix, clock()),
    clock,
    steadyClock,
  });
  const delays = new AddressDelays(listenerLimits);
  const listening = { door, tls: null, proxyProtocol: false, delays, log, steadyClock };
  const listener = await openRtmpListener({ ...listening, port: usualLivePort }).catch(() =>
    openRtmpListener({ ...listening, port: 0 }),
  );
  const srtListener = await openSrtListener({ ...listening, port: usualSrtPort }).catch(() =>
    openSrtListener({ ...listening, port: 0 }),
  );
  return {
    rtmpURL: `rtmp://127.0.0.1:${listener.port}/live`,
    srtURL: `srt://127.0.0.1:${srtListener.port}`,
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]();
      await Promise.all([listener.close(), srtListener.close()]);
    },
  };
}
