// Whether the logo of a stream can be drawn.
import type { ReadinessCode } from './readiness-issues.ts';

/** What is known of an upload that a stream draws over its pictures. */
export interface LogoFacts {
  readonly probeState: 'pending' | 'completed' | 'failed';
  readonly isStill: boolean;
}

/** Nothing waits for a logo. @param logo null: it is not there; undefined: none is wanted */
export function judgeLogo(logo: LogoFacts | null | undefined): ReadinessCode[] {
  if (logo === undefined) return [];
  if (logo === null) return ['logo_missing'];
  if (logo.probeState === 'pending') return ['logo_not_probed'];
  return canBeLogo(logo) ? [] : ['logo_unusable'];
}

/** Whether an upload can be drawn as a logo: a still image that has been examined. */
export function canBeLogo({ probeState, isStill }: LogoFacts): boolean {
  return probeState === 'completed' && isStill;
}
