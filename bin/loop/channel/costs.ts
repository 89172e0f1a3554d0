// The price of the streams of a plan, by the prices of the platform.
import { priceOf } from '../../../lambda/domain/billing/credits.ts';
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

function priceAfter(entry: StreamEntry, before: PlatformState['streams'][number] | null, state: PlatformState): number {
  const { prices, defaults } = state;
  const format = {
    quality: valueOf(entry.quality, before?.quality ?? null) ?? defaults.quality,
    framerate: valueOf(entry.framerate, before?.framerate ?? null) ?? defaults.framerate,
  };
  const isBackedUp = valueOf(entry.runBackupStream, before?.runBackupStream ?? null) === true;
  const hasAgents = valueOf(entry.agentModeEnabled, before?.agentModeEnabled ?? null) === true;
  const further = entry.outputs ?? before?.outputs.filter(({ isFirst }) => !isFirst) ?? [];
  const table = {
    version: '',
    effectiveFrom: prices.effectiveFrom,
    creditsPerHour: Object.fromEntries(prices.creditsPerHour.map(({ quality, ...each }) => [quality, each])),
    backupShare: prices.backupShare,
    furtherShare: prices.furtherShare,
    creditsPerGiBMonth: prices.creditsPerGiBMonth,
  };
  const tables = [table as unknown as NonNullable<Parameters<typeof priceOf>[2]>[number]];
  const price = (role: 'primary' | 'backup', isFurther: boolean) =>
    priceOf({ role, isFurther, ...format }, new Date(prices.effectiveFrom), tables).creditsPerHour;
  const withBackup = (isFurther: boolean) =>
    price('primary', isFurther) + (isBackedUp && hasAgents ? price('backup', isFurther) : 0);
  const paid = further.filter(({ enabled }) => enabled !== false).length;
  return withBackup(false) + paid * withBackup(true);
}

const round = (credits: number): number => Math.round(credits * 1000) / 1000;

/** An absent field keeps its value; null clears it. */
function valueOf<Value>(given: Value | null | undefined, before: Value | null): Value | null {
  return given === undefined ? before : given;
}
