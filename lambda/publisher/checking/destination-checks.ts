// Carries out checks of destinations for an agent: a few at a time, beside its streams.
import type { ClaimedCheck } from '../../data/destinations/destination-checks.ts';
import type { Database } from '../../data/database.ts';
import { checking } from '../../domain/shared/outbound-limits.ts';
import { checkAddress } from './check-address.ts';
import type { CheckOptions } from './check-address.ts';

export interface DestinationChecksOptions extends Pick<CheckOptions, 'allowPrivateAddresses' | 'log'> {
  readonly data: Pick<Database, 'destinationChecks'>;
}

export class DestinationChecks {
  readonly #options: DestinationChecksOptions;
  readonly #underWay = new Set<Promise<void>>();
  #last: Promise<void> = Promise.resolve();
  /** Whether there may be more to claim than fitted. */
  #owesClaim = false;
  #isEnding = false;

  constructor(options: DestinationChecksOptions) {
    this.#options = options;
  }

  /** Claims what waits and fits, after the claims that were begun before: two at once would claim too much. */
  claim(): Promise<void> {
    const claimed = this.#last.then(() => this.#claimWhatFits());
    this.#last = claimed.catch(() => {});
    return claimed;
  }

  /** Claims nothing more. Resolves when no check is under way. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#last;
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #claimWhatFits(): Promise<void> {
    while (!this.#isEnding) {
      this.#owesClaim = this.#underWay.size >= checking.mostOfAgent;
      if (this.#owesClaim) return;
      const check = await this.#options.data.destinationChecks.claim();
      if (!check) return;
      const running = this.#carryOut(check).finally(() => this.#underWay.delete(running));
      this.#underWay.add(running);
      void running.then(() => this.#claimOwed());
    }
  }

  /** Who was told of a check while this agent was full is told of it no more. */
  async #claimOwed(): Promise<void> {
    if (!this.#owesClaim) return;
    await this.claim().catch((error: unknown) => this.#logFailure({ error: String(error) }));
  }

  /** It never rejects. What is not written down is over before long, and says so to its user. */
  async #carryOut({ id, destination_id: destinationID, url, backup_url: backupURL }: ClaimedCheck) {
    const { data, log, allowPrivateAddresses } = this.#options;
    const options = { log, allowPrivateAddresses };
    const checks = [checkAddress(url, false, options)];
    if (backupURL !== null) checks.push(checkAddress(backupURL, true, options));
    try {
      await data.destinationChecks.finish(id, destinationID, await Promise.all(checks));
    } catch (error) {
      this.#logFailure({ destinationID, error: String(error) });
    }
  }

  #logFailure(fields: Readonly<Record<string, string>>): void {
    this.#options.log('destination_not_checked', fields);
  }
}
