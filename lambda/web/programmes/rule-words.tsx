// The rules of a programme as sentences.
import type { ReactNode } from 'react';
import { weekdays } from '../../domain/shared/wall-clock.ts';
import type { Weekday } from '../../domain/shared/wall-clock.ts';
import { weekdayName } from '../app/weekdays.tsx';
import { programmeWords as words } from '#words/programmes.ts';
import { locale } from '../app/locale.ts';
import { daysOf, timeOfInsert } from './rules.ts';
import type { Block, Insert, Separation } from './rules.ts';
import { SourceName } from './sources.tsx';

const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
/** @param day such as 2026-01-31 */
export const dateWords = (day: string) => dates.format(Date.parse(`${day}T00:00Z`));

/** The days and hours of a block that has some. */
export function hoursWords({ rule, at, minutes }: Block): string {
  const days = daysOf(rule ?? '');
  const onDays = days === null ? words.byRule : dayWords(days.weekdays, days.every, days.interval);
  return words.hours(onDays, at || '…', minutes ?? 0);
}

/** The days and hours of a block, and how it begins and ends. */
export function blockWords(block: Block): string {
  const { rule, firstDay, lastDay, starts, latestMinutes, ends, priority, guide, offAir } = block;
  // A guide never has what is off the air.
  const inGuide = offAir ? words.offAirWords : guide !== 'items' && words.guideWords[guide];
  if (rule === null) return [words.always, inGuide].filter(Boolean).join(' · ');
  const interval = daysOf(rule)?.interval ?? 1;
  const isLimited = lastDay !== null || interval > 1;
  const late = starts === 'next_item' && latestMinutes !== null ? ` ${words.lateWords(latestMinutes)}` : '';
  return [
    hoursWords(block),
    isLimited && words.between(interval > 1 && firstDay ? dateWords(firstDay) : null, lastDay && dateWords(lastDay)),
    `${words.beginWords[starts]}${late}`,
    words.endWords[ends],
    words.priorityWords(priority),
    inGuide,
  ]
    .filter(Boolean)
    .join(' · ');
}

function dayWords(days: readonly Weekday[], every: 'day' | 'week', interval: number): string {
  if (every === 'day' || days.length === weekdays.length) return words.daily(interval);
  return words.weekly(words.list(days.map(weekdayName)), interval);
}

export function StepsInWords({ block: { steps, ordered } }: { readonly block: Block }): ReactNode {
  const [one, between] = steps.length < 2 || ordered ? [words.plays, words.thenNext] : [words.mixes, ', '];
  return (
    <>
      {one}{' '}
      {steps.map((step, index) => (
        <span key={step.id}>
          {index > 0 && between}
          {step.count > 1 && `${step.count} × `}
          <SourceName from={step} />
        </span>
      ))}
    </>
  );
}

export function insertWords(insert: Insert, blocks: readonly Block[]): string {
  const { everyItems, everyMinutes, atMinutes, beforeBlockID, afterBlockID, midRoll } = insert;
  const { mostPerHour, shortestGapMinutes, join } = insert;
  const blockName = (id: string | undefined) => blocks.find((block) => block.id === id)?.name ?? '…';
  const when = {
    everyItems: () => words.insertWords.everyItems(everyItems ?? 0),
    everyMinutes: () => words.insertWords.everyMinutes(everyMinutes ?? 0),
    atMinutes: () => words.insertWords.atMinutes(atMinutes ?? []),
    beforeBlockID: () => words.insertWords.beforeBlockID(blockName(beforeBlockID)),
    afterBlockID: () => words.insertWords.afterBlockID(blockName(afterBlockID)),
    midRoll: () => {
      const { everyMinutes: minutes = 0, keepLastMinutes = 0, blockID = null } = midRoll ?? {};
      return words.insertWords.midRoll(minutes, keepLastMinutes, blockID === null ? null : blockName(blockID));
    },
  }[timeOfInsert(insert)]();
  const limits = [
    mostPerHour !== null && words.mostPerHourWords(mostPerHour),
    shortestGapMinutes > 0 && words.shortestGapWords(shortestGapMinutes),
    join === 'as_stream' && words.insertJoinWords,
  ];
  return [when, ...limits].filter(Boolean).join(', ');
}

/** A distance without its subject, which stands before it. */
export function separationWords({ tagPrefix, items, minutes }: Separation): string {
  const apart = words.apartWords(items, minutes);
  return tagPrefix === null ? apart : `${words.tagged(tagPrefix)} · ${apart}`;
}
