// Requests of pictures that take long count as several: decision D270. Their limits: decision D274.
import type { Service } from '../service.ts';
import { countRequest } from './rate-limits.ts';

/** Milliseconds that a counted request pays for. */
const msPerRequest = { poster: 15, preview: 25 } as const;
/** A request that takes less counts once. */
const freeMs = 50;

/** The limit that the time of a request counts against. */
interface Counted {
  readonly subject: string;
  readonly requestClass: keyof typeof msPerRequest;
}

/** Does work, and counts the time that it took against a limit. */
export async function countingTimeOf<Result>(
  service: Service,
  counted: Counted,
  work: () => Promise<Result>,
): Promise<Result> {
  const beganMs = service.steadyClock();
  try {
    return await work();
  } finally {
    const tookMs = service.steadyClock() - beganMs;
    if (tookMs >= freeMs) await countTime(service, counted, tookMs);
  }
}

async function countTime(service: Service, { subject, requestClass }: Counted, ms: number): Promise<void> {
  const count = Math.floor(ms / msPerRequest[requestClass]);
  await countRequest(service, subject, requestClass, count).catch((cause: unknown) =>
    service.log('slow_call_not_counted', { cause }),
  );
}
