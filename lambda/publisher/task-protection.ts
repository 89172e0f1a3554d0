// Keeps ECS from ending a task that has streams on air (task scale-in protection; it holds for deployments too).

export interface TaskProtectionOptions {
  /** `ECS_AGENT_URI` as ECS gives it to the container. */
  readonly agentURI: string;
  /** Monotonic, in milliseconds. */
  readonly steadyClock: () => number;
}

export interface TaskProtection {
  /**
   * Asks ECS for what is wanted, unless it has been told so and that still holds for a while. Call it every minute or so.
   * @throws if the endpoint refuses or cannot be reached; the next call asks again
   */
  set(isWanted: boolean): Promise<void>;
}

/** A task that hangs is not protected for longer. */
const expiresInMinutes = 60;
/** Renewed this long after it was set: there is time for many more tries before it ends. */
const renewAfterMs = 20 * 60_000;
const timeoutMs = 10_000;

/** https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-scale-in-protection-endpoint.html */
export function createTaskProtection({ agentURI, steadyClock }: TaskProtectionOptions): TaskProtection {
  // Unknown at first: a container that was started again finds its task as the last one left it.
  let told: { readonly isWanted: boolean; readonly atMs: number } | null = null;
  return {
    async set(isWanted) {
      const holds = !isWanted || (told !== null && steadyClock() - told.atMs < renewAfterMs);
      if (told?.isWanted === isWanted && holds) return;
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
        throw new Error(
          `task protection was refused: ${answer.failure?.Reason ?? answer.error?.Code ?? response.status}`,
        );
      }
      told = { isWanted, atMs: steadyClock() };
    },
  };
}
