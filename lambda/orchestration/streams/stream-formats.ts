// The formats and prices of streams with all their outputs: of the present run, or of a start now.
import type { Database } from '../../data/database.ts';
import type { Output } from '../../data/destinations/outputs.ts';
import { formatOfRun, formatOfStart } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { streamPriceOf } from '../../domain/billing/credits.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import type { Framerate, Quality, VideoCodec } from '../../domain/shared/video-format.ts';
import { wantsBackup } from './stream-parts.ts';

export interface StreamFormat {
  readonly effective: { readonly quality: Quality; readonly framerate: Framerate; readonly videoCodec: VideoCodec };
  readonly creditsPerHour: number;
}

/** The formats and prices of streams of one user, by id. @param allOutputs of these streams */
export async function formatsOfStreams(
  data: Database,
  userID: string,
  streams: readonly Stream[],
  allOutputs: readonly Output[],
  now: Date,
): Promise<ReadonlyMap<string, StreamFormat>> {
  if (streams.length === 0) return new Map();
  const user = streams.every(hasFormatOfRun) ? null : await data.users.find(userID);
  const outputs = await enabledOutputs(data, userID, streams, allOutputs);
  return new Map(
    streams.map((stream) => {
      const { quality, framerate, videoCodec } = hasFormatOfRun(stream)
        ? formatOfRun(stream)
        : formatOfStart(stream, user!);
      const own = outputs.filter((output) => output.stream_id === stream.id);
      const further = own.filter(({ is_first: isFirst }) => !isFirst);
      // A managed platform or the deprecated key takes the place of the first output.
      const hasFirst =
        own.length > further.length || stream.stream_destination !== null || stream.sealed_stream_key !== null;
      const isBackedUp = wantsBackup(stream);
      const creditsPerHour = streamPriceOf(
        {
          quality,
          framerate,
          isBackedUp,
          further: (hasFirst ? further : further.slice(1)).map(({ hasBackup }) => ({
            isBackedUp: isBackedUp && hasBackup,
          })),
        },
        now,
      );
      return [stream.id, { effective: { quality, framerate, videoCodec }, creditsPerHour }];
    }),
  );
}

function hasFormatOfRun(stream: Stream): boolean {
  return isLive(stream.state) && stream.run_quality !== null && stream.run_framerate !== null;
}

/** The enabled outputs of streams, and whether each has a second address. */
async function enabledOutputs(
  data: Database,
  userID: string,
  streams: readonly Stream[],
  allOutputs: readonly Output[],
) {
  const outputs = allOutputs.filter(({ enabled }) => enabled);
  const isAnyFurther = outputs.some(({ is_first: isFirst }) => !isFirst) && streams.some(wantsBackup);
  const ids = isAnyFurther ? outputs.map(({ destination_id: id }) => id) : [];
  const destinations = await (ids.length > 0 ? data.destinations.findMany([userID], ids) : []);
  const backedUp = new Set(destinations.filter((each) => each.backup_url !== null).map(({ id }) => id));
  return outputs.map((output) => ({ ...output, hasBackup: backedUp.has(output.destination_id) }));
}
