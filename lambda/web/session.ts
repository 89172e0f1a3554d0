// The session, as the authorization server describes it.
import type { Framerate, Quality } from '../domain/shared/video-format.ts';

export interface Session {
  readonly user: {
    readonly email: string;
    readonly name: string;
    /** Seconds; 0 means that a stream never expires. */
    readonly defaultStreamDurationSeconds: number;
    readonly defaultQuality: Quality;
    readonly defaultFramerate: Framerate;
  };
}
