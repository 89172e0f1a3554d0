// Keeps ECS from stopping a task with streams on air (task scale-in protection, which also applies to deployments).

export interface TaskProtectionOptions {
  /** `ECS_AGENT_URI` as ECS gives it to the container. */
  readonly agentURI: string;
  /** Monotonic, in milliseconds. */
  readonly steadyClock: () => number;
}

export interface TaskProtection {
  /**
   * Sets or removes the protection, unless it is already so and does not expire soon. Call this about every minute.
   * @throws if the endpoint refuses or cannot be reached. The next call retries
   */
  set(isWanted: boolean): Promise<void>;
}

/** The protection expires after this time, so that a task that hangs is not protected for ever. */
const expiresInMinutes = 60;
/** The protection is renewed after this time, which leaves time for many retries before it expires. */
const renewAfterMs = 20 * 60_000;
const timeoutMs = 10_000;

/** https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-scale-in-protection-endpoint.html */
export function createTaskProtection({ agentURI, steadyClock }: TaskProtectionOptions): TaskProtection {
  // Unknown at first: this container may have been restarted in a task that is protected.
  let requested: { readonly isWanted: boolean; readonly atMs: number } | null = null;
  return {
    async set(isWanted) {
      const isProtected = requested !== null && steadyClock() - requested.atMs < renewAfterMs;
      if (requested?.isWanted === isWanted && (isProtected || !isWanted)) return;
      const response = await fetch(`${agentURI}/task-protection/v1/state`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ProtectionEnabled: isWanted, ...(isWanted && { ExpiresInMinutes: expiresInMinutes }) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const answer = (await response.json()) as {
        readonly failure?: { readonly Reason?: string };
        readonly error?: { readonly Code?: string };
      };
      // A refusal by ECS itself has status 200.
      if (!response.ok || answer.failure || answer.error) {
        const reason = answer.failure?.Reason ?? answer.error?.Code ?? response.status;
        throw new Error(`task protection was refused: ${reason}`);
      }
      requested = { isWanted, atMs: steadyClock() };
    },
  };
}
