// The times at which programmes may begin an upload, in requests and answers.
import * as z from 'zod';
import type { Availability } from '../../domain/media/availability.ts';
import { weekdays } from '../../domain/shared/wall-clock.ts';
import { timeOfDay, timestampInput } from '../fields.ts';

/** The most stretches of hours of an upload. */
export const mostHours = 14;

const time = timeOfDay.meta({ examples: ['09:30'] });

/** Hours of some days. */
export const availableHours = z
  .strictObject({
    days: z.array(z.enum(weekdays)).min(1).max(weekdays.length),
    from: time,
    to: time.describe('Time at which it may no longer begin: on the next day if it is before from.'),
  })
  .meta({ id: 'AvailableHours' });

export const availabilityInput = z
  .strictObject({
    from: timestampInput.nullable().default(null).describe('First time. null: any.'),
    until: timestampInput.nullable().default(null).describe('Time at which it may no longer begin. null: none.'),
    hours: z
      .array(availableHours)
      .max(mostHours)
      .default([])
      .describe("Hours in the programme's time zone. Empty: all hours."),
  })
  .meta({ id: 'AvailabilityInput' });

export const availability = z
  .object({
    from: z.iso.datetime().nullable().describe('First time. null: any.'),
    until: z.iso.datetime().nullable().describe('Time at which it may no longer begin. null: none.'),
    hours: z.array(availableHours).describe("Hours in the programme's time zone. Empty: all hours."),
  })
  .meta({ id: 'Availability' });

export function storedAvailability({ from, until, hours: all }: z.output<typeof availabilityInput>): Availability {
  return { from: from?.toISOString() ?? null, until: until?.toISOString() ?? null, hours: all };
}

export function presentAvailability(stored: Availability | null): z.input<typeof availability> | null {
  return stored && { ...stored, hours: stored.hours.map((each) => ({ ...each, days: [...each.days] })) };
}
