// Keeps ECS from ending a task that has streams on air (task scale-in protection; it holds for deployments too).

export interface TaskProtectionOptions {
  /** `ECS_AGENT_URI` as ECS gives it to the container. */
  readonly agentURI: string;
  /** Monotonic, in milliseconds. */
  readonly steadyClock: () => number;
}

export interface TaskProtection {
  /**
   * Asks ECS for what is wanted, unless ECS has been told so and that lasts for a while yet. Call this every minute or
   * so.
   * @throws if the endpoint refuses or cannot be reached; the next call asks again
   */
  set(isWanted: boolean): Promise<void>;
}

/** The protection ends by itself after this time, so that a task that hangs is not protected for ever. */
const expiresInMinutes = 60;
/** The protection is renewed this long after it was set, which leaves time for many more tries before it ends. */
const renewAfterMs = 20 * 60_000;
const timeoutMs = 10_000;

/** https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-scale-in-protection-endpoint.html */
export function createTaskProtection({ agentURI, steadyClock }: TaskProtectionOptions): TaskProtection {
  // What ECS was told is unknown at first: this container may have been started again in a task that is protected.
  let told: { readonly isWanted: boolean; readonly atMs: number } | null = null;
  return {
    async set(isWanted) {
      const isProtected = told !== null && steadyClock() - told.atMs < renewAfterMs;
      if (told?.isWanted === isWanted && (isProtected || !isWanted)) return;
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
      // A refusal by ECS itself comes with status 200.
      if (!response.ok || answer.failure || answer.error) {
        const reason = answer.failure?.Reason ?? answer.error?.Code ?? response.status;
        throw new Error(`task protection was refused: ${reason}`);
      }
      told = { isWanted, atMs: steadyClock() };
    },
  };
}
