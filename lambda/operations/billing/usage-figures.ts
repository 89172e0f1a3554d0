// The figures of usage: live seconds, credits and bytes.
import * as z from 'zod';

export const defaultRangeMs = 30 * 86_400_000;

export const figures = {
  liveSeconds: z.number().describe('Seconds in which destinations accepted media, summed over all streams.'),
  creditsSpent: z.number().describe('Credits spent by all replicas, including running ones.'),
  bytesSent: z
    .int()
    .describe('Bytes sent by all replicas. The bytes of an uninterrupted period are spread evenly over it.'),
};

interface UsageRow {
  readonly live_seconds: number;
  readonly credits_spent: number;
  readonly bytes_sent: number;
}

export const figuresOf = ({ live_seconds, credits_spent, bytes_sent }: UsageRow) => ({
  liveSeconds: live_seconds,
  creditsSpent: credits_spent,
  bytesSent: bytes_sent,
});
