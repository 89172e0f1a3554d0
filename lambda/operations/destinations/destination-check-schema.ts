// The last check of a destination in answers.
import * as z from 'zod';
import type { DestinationCheck } from '../../data/destinations/destination-checks.ts';
import { checkBlames, checkSteps, wordsOfLostCheck } from '../../domain/destinations/destination-check.ts';
import { timestamp } from '../fields.ts';

export const destinationCheckSchema = z
  .object({
    state: z.enum(['pending', 'done']).meta({ id: 'DestinationCheckState' }),
    isReachable: z
      .boolean()
      .nullable()
      .describe('true: every address is reachable. null: the check is pending or was lost, or checks a channel.'),
    detail: z.string().describe('Result of the check, and the remedy.'),
    askedAt: timestamp,
    feeds: z.array(
      z
        .object({
          isBackup: z.boolean(),
          code: z.string().nullable().describe('Code of the failure. null: the address is reachable.'),
          blame: z
            .enum(checkBlames)
            .meta({ id: 'DestinationCheckBlame' })
            .nullable()
            .describe('Cause of the failure. null: none.'),
          detail: z.string(),
          steps: z.array(
            z
              .object({
                step: z.enum(checkSteps).meta({ id: 'DestinationCheckStepName' }),
                isDone: z.boolean(),
                ms: z.int(),
              })
              .meta({ id: 'DestinationCheckStep' }),
          ),
        })
        .meta({ id: 'DestinationCheckFeed' }),
    ),
  })
  .meta({ id: 'DestinationCheck' });

export function presentCheck(check: DestinationCheck): z.input<typeof destinationCheckSchema> {
  const askedAt = new Date(check.askedAt);
  if (check.feeds === null) {
    const { isClaimed, isOver } = check;
    const detail = isOver ? wordsOfLostCheck(isClaimed) : 'A publisher is testing the addresses.';
    return { state: isOver ? 'done' : 'pending', isReachable: null, detail, askedAt, feeds: [] };
  }
  const feeds = check.feeds.map(({ isBackup, failure, detail, steps }) => ({
    isBackup,
    code: failure?.code ?? null,
    blame: failure?.blame ?? null,
    detail,
    steps: [...steps],
  }));
  const detail = feeds.map((feed) => (feed.isBackup ? `Backup: ${feed.detail}` : feed.detail)).join(' ');
  return { state: 'done', isReachable: feeds.every(({ code }) => code === null), detail, askedAt, feeds };
}

/** The answer for a connected channel, which has no address to check. */
export function presentChannelCheck(connectionID: string, askedAt: Date): z.input<typeof destinationCheckSchema> {
  const detail = `This destination is a connected channel. get_connection of ${connectionID} shows its state.`;
  return { state: 'done', isReachable: null, detail, askedAt, feeds: [] };
}
