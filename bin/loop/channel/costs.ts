// The price of the streams of a plan, by the prices of the platform.
import { streamPriceOf } from '../../../lambda/domain/billing/credits.ts';
import type { PriceTable } from '../../../lambda/domain/billing/credits.ts';
import type { CostChange } from './change.ts';
import type { ChannelDocument, StreamEntry } from './document.ts';
import { find } from './platform-state.ts';
import type { PlatformState } from './platform-state.ts';

/** The streams of the document whose price for an hour on air changes. */
export function costsOf(document: ChannelDocument, state: PlatformState): CostChange[] {
  return Object.entries(document.streams ?? {}).flatMap(([name, entry]) => {
    const before = find(state.streams, name, 'stream');
    const toPerHour = round(priceAfter(entry, before, state));
    const fromPerHour = before && round(before.creditsPerHour);
    return fromPerHour === toPerHour ? [] : [{ stream: name, fromPerHour, toPerHour }];
  });
}

const round = (credits: number): number => Math.round(credits * 1000) / 1000;

type Stream = PlatformState['streams'][number];

function priceAfter(entry: StreamEntry, before: Stream | null, { prices, defaults }: PlatformState): number {
  /** An absent field keeps its value; null clears it. */
  const setting = <Name extends keyof StreamEntry & keyof Stream>(name: Name) =>
    entry[name] === undefined ? before?.[name] : entry[name];
  const isBackedUp = setting('runBackupStream') === true && setting('agentModeEnabled') === true;
  const outputs = entry.outputs ?? before?.outputs.filter(({ isFirst }) => !isFirst) ?? [];
  const stream = {
    quality: setting('quality') ?? defaults.quality,
    framerate: setting('framerate') ?? defaults.framerate,
    isBackedUp,
    further: outputs.filter(({ enabled }) => enabled !== false).map(() => ({ isBackedUp })),
  };
  const creditsPerHour = Object.fromEntries(prices.creditsPerHour.map((price) => [price.quality, price]));
  const table = { ...prices, version: '', creditsPerHour: creditsPerHour as unknown as PriceTable['creditsPerHour'] };
  return streamPriceOf(stream, new Date(prices.effectiveFrom), [table]);
}
