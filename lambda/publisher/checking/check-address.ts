// Checks how far an address of a destination can be reached: as a stream would reach it, up to the first secret.
import { checkTimeoutSeconds } from '../../domain/destinations/destination-check.ts';
import type { CheckedFeed, CheckedStep, CheckStep } from '../../domain/destinations/destination-check.ts';
import { parsePublishURL } from '../../domain/destinations/publish-url.ts';
import type { Log } from '../../log.ts';
import type { DestinationRules } from '../destination/destination-address.ts';
import { withinTime } from '../destination/deadline.ts';
import { DestinationError } from '../destination/destination-error.ts';
import { publishingWays } from '../destination/publishing-ways.ts';
import { ourFault, verdictOn } from './check-words.ts';

export interface CheckOptions extends DestinationRules {
  readonly log: Log;
  /** For tests. */
  readonly timeoutMs?: number;
}

/** Checks one address of a destination, in bounded time. @param url an address that `parsePublishURL` accepts */
export async function checkAddress(
  url: string,
  isBackup: boolean,
  { log, timeoutMs = checkTimeoutSeconds * 1000, ...rules }: CheckOptions,
): Promise<CheckedFeed> {
  const server = parsePublishURL(url)!;
  const way = publishingWays[server.way];
  const planned = way.stepsTo(server);
  const steps: CheckedStep[] = [];
  let beganAtMs = performance.now();
  const record = (step: CheckStep, isDone: boolean) => {
    // After a redirect, only the steps to the new address count.
    if (step === planned[0]) steps.length = 0;
    const nowMs = performance.now();
    steps.push({ step, isDone, ms: Math.round(nowMs - beganAtMs) });
    beganAtMs = nowMs;
  };
  try {
    await withinTime(timeoutMs, never, (signal) =>
      way.check(url, { ...rules, onStep: (step) => record(step, true) }, signal),
    );
    return { isBackup, failure: null, detail: way.reachedWords, steps };
  } catch (error) {
    record(planned[steps.length] ?? planned.at(-1)!, false);
    if (!(error instanceof DestinationError)) {
      log('destination_not_checked', { error: String(error) });
      return { isBackup, ...ourFault, steps };
    }
    const { code, detail } = error;
    const { blame, advice } = verdictOn(code);
    return { isBackup, failure: { code, blame }, detail: advice === undefined ? detail : `${detail} ${advice}`, steps };
  }
}

const never = new AbortController().signal;
