// The kinds of streams that can be bought, with the slots, bitrates and prices that the platform's own code says.
import { priceOf, priceTables } from '../../lambda/domain/credits.ts';
import { framesPerSecond, qualities, slotsOf } from '../../lambda/domain/video-format.ts';
import { audioFormat, profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import type { StreamKind } from '../../lib/cost/stream-hour-cost.ts';

/** Each quality at 30 and at 60 frames a second, at the newest prices. 24 and 25 frames cost what 30 do. */
export function streamKinds(): StreamKind[] {
  const newest = new Date(priceTables.at(-1)!.effectiveFrom);
  return qualities.flatMap((quality) =>
    (['f_30', 'f_60'] as const).map((framerate) => ({
      name: `${quality.slice(2)}${framesPerSecond[framerate]}`,
      bitrateKbps: profileOf({ quality, framerate, videoCodec: 'h264' }).videoBitrateKbps + audioFormat.bitrateKbps,
      slots: { ffmpeg: slotsOf('ffmpeg', quality, framerate), manifest: slotsOf('manifest', quality, framerate) },
      creditsPerHour: priceOf({ role: 'primary', quality, framerate }, newest).creditsPerHour,
    })),
  );
}
