// The kinds of streams that can be bought, with the costs, bitrates and prices that the platform's own code says.
import { priceOf, priceTables } from '../../lambda/domain/billing/credits.ts';
import { costOf } from '../../lambda/domain/fleet/capacity.ts';
import { framesPerSecond, qualities } from '../../lambda/domain/shared/video-format.ts';
import { audioFormat, profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import type { StreamCost } from '../../lambda/domain/fleet/capacity.ts';
import type { Framerate, Quality } from '../../lambda/domain/shared/video-format.ts';
import type { StreamKind } from '../../lib/cost/stream-hour-cost.ts';

/** Each quality at 30 and at 60 frames a second, at the newest prices. 24 and 25 frames cost what 30 do. */
export function streamKinds(): StreamKind[] {
  const newest = new Date(priceTables.at(-1)!.effectiveFrom);
  return qualities.flatMap((quality) =>
    (['f_30', 'f_60'] as const).map((framerate) => ({
      name: `${quality.slice(2)}${framesPerSecond[framerate]}`,
      bitrateKbps: profileOf({ quality, framerate, videoCodec: 'h264' }).videoBitrateKbps + audioFormat.bitrateKbps,
      costs: { ffmpeg: costOn('ffmpeg', quality, framerate), manifest: costOn('manifest', quality, framerate) },
      creditsPerHour: priceOf({ role: 'primary', quality, framerate }, newest).creditsPerHour,
    })),
  );
}

/** Over TLS, as most platforms want it. */
function costOn(backend: 'ffmpeg' | 'manifest', quality: Quality, framerate: Framerate): StreamCost {
  const url = 'rtmps://ingest.example/live';
  return costOf({ backend, quality, framerate, videoCodec: 'h264', hasSoundTrack: false, url });
}
