// Finds out how far an address of a destination can be reached: as a stream would reach it, up to what needs a secret.
import { checkTimeoutSeconds } from '../../domain/destinations/destination-check.ts';
import type { CheckedFeed, CheckedStep, CheckStep } from '../../domain/destinations/destination-check.ts';
import { parseHlsURL } from '../../domain/destinations/hls-url.ts';
import { parsePublishURL } from '../../domain/destinations/publish-url.ts';
import type { PublishURL } from '../../domain/destinations/publish-url.ts';
import { parseSrtURL } from '../../domain/destinations/srt-url.ts';
import type { Log } from '../../log.ts';
import type { DestinationRules } from '../destination/destination-address.ts';
import { DestinationError } from '../destination/destination-error.ts';
import { openDestinationSocket } from '../destination/destination-socket.ts';
import { tryApplication } from '../rtmp/rtmp-client.ts';
import { awaitListener } from '../srt/call.ts';
import { openSrtSocket } from '../srt/srt-socket.ts';
import { ourFault, reachedWords, verdictOn } from './check-words.ts';

export interface CheckOptions extends DestinationRules {
  readonly log: Log;
  /** For tests. */
  readonly timeoutMs?: number;
}

/** Checks one address of a destination, in bounded time. @param url that `parsePublishURL` takes */
export async function checkAddress(
  url: string,
  isBackup: boolean,
  { log, timeoutMs = checkTimeoutSeconds * 1000, ...rules }: CheckOptions,
): Promise<CheckedFeed> {
  const server = parsePublishURL(url)!;
  const planned = stepsTo(server);
  const steps: CheckedStep[] = [];
  let beganAtMs = performance.now();
  const note = (step: CheckStep, isDone: boolean) => {
    // A server may lead on to another address, which then counts.
    if (step === planned[0]) steps.length = 0;
    const nowMs = performance.now();
    steps.push({ step, isDone, ms: Math.round(nowMs - beganAtMs) });
    beganAtMs = nowMs;
  };
  try {
    await reach(url, server, (step) => note(step, true), { ...rules, timeoutMs });
    return { isBackup, failure: null, detail: reachedWords[server.way], steps };
  } catch (error) {
    note(planned[steps.length] ?? planned.at(-1)!, false);
    if (!(error instanceof DestinationError)) {
      log('destination_not_checked', { error: String(error) });
      return { isBackup, ...ourFault, steps };
    }
    const { code, detail } = error;
    const { blame, advice } = verdictOn(code);
    return { isBackup, failure: { code, blame }, detail: advice === undefined ? detail : `${detail} ${advice}`, steps };
  }
}

function stepsTo({ way, secure }: PublishURL): readonly CheckStep[] {
  if (way === 'srt') return ['address', 'handshake'];
  if (way === 'hls') return ['address', 'tcp', 'tls'];
  return ['address', 'tcp', ...(secure ? (['tls'] as const) : []), 'handshake', 'app'];
}

async function reach(
  url: string,
  { way }: PublishURL,
  onStep: (step: CheckStep) => void,
  { timeoutMs, ...rules }: DestinationRules & { readonly timeoutMs: number },
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { ...rules, onStep };
  if (way === 'rtmp') return tryApplication(url, { ...options, connectTimeoutMs: timeoutMs }, never);
  try {
    if (way === 'hls') {
      const socket = await openDestinationSocket({ ...parseHlsURL(url)!, secure: true }, options, signal);
      socket.destroy();
      return;
    }
    const socket = await openSrtSocket(parseSrtURL(url)!, rules);
    onStep('address');
    await awaitListener(socket, signal).finally(() => socket.close());
    onStep('handshake');
  } catch (error) {
    throw signal.aborted ? new DestinationError('timed_out', error) : error;
  }
}

const never = new AbortController().signal;
