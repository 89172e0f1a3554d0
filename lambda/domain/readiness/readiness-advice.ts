// Advice for a stream that can start. It never blocks a start.
import type { ReadinessIssue } from './readiness-issues.ts';

export const adviceCodes = ['use_manifest'] as const;

export interface Advice {
  readonly code: (typeof adviceCodes)[number];
  readonly suggestion: string;
}

export interface AdvisedStream {
  /** Whether the stream is encoded while it is sent. */
  readonly isEncoded: boolean;
  readonly isLive: boolean;
  /** Whether its user may change the backend of an existing stream. */
  readonly mayChangeBackend: boolean;
}

/** Advises the prepared backend if the stream is not live and every part of it is known and playable. */
export function adviceFor(stream: AdvisedStream, issues: readonly ReadinessIssue[]): Advice[] {
  if (!stream.isEncoded || stream.isLive || issues.length > 0) return [];
  const how = stream.mayChangeBackend
    ? 'Set streamBackend to manifest with update_stream'
    : 'Create a new stream with streamBackend manifest';
  const why =
    'the media is then prepared once and sent without encoding, so the stream never falls behind. The first ' +
    'start waits for the preparation.';
  return [{ code: 'use_manifest', suggestion: `${how}: ${why}` }];
}
