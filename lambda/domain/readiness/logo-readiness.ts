// Readiness issues of the logo that a stream names.
import type { ReadinessCode } from './readiness-issues.ts';

/** Facts of an upload that a stream draws over its pictures. */
export interface LogoFacts {
  readonly probeState: 'pending' | 'completed' | 'failed';
  readonly isStill: boolean;
}

/** Issues of a logo; none blocks a start. @param logo null if it is missing; undefined if the stream names none */
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
