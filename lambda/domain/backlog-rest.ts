// How long a user with a backlog rests, so that it takes a part of the time, and what others ask for comes in between.

/** A rest is so many times as long as the work before it. */
const restsFor = 3;

/** @param tookMs how long the work took @param mostMs others come in between at any time: a rest need be no longer */
export const backlogRestMs = (tookMs: number, mostMs: number): number => Math.min(restsFor * tookMs, mostMs);
