// Readiness issues of overlays that a stream wants and will not show.
import type { ReadinessCode } from './readiness-issues.ts';

export interface OverlayFacts {
  /** Whether the next item is to be drawn, but is unknown when pictures are prepared. */
  readonly missesNext: boolean;
  /** Whether a clock or a ticker is wanted that the stream's backend does not draw. */
  readonly missesRunning: boolean;
  /** Whether captions are to be drawn, but no item has any. */
  readonly missesCaptions: boolean;
}

const codes = {
  missesRunning: 'running_not_prepared',
  missesNext: 'next_not_prepared',
  missesCaptions: 'captions_missing',
} as const satisfies Record<keyof OverlayFacts, ReadinessCode>;

export function judgeOverlays(facts: OverlayFacts): ReadinessCode[] {
  return Object.entries(codes).flatMap(([fact, code]) => (facts[fact as keyof OverlayFacts] ? [code] : []));
}
