// Runs checks of destinations in an agent: a few at a time, beside its streams.
import type { ClaimedCheck } from '../../data/destinations/destination-checks.ts';
import type { Database } from '../../data/database.ts';
import { checking } from '../../domain/shared/outbound-limits.ts';
import { checkAddress } from './check-address.ts';
import type { CheckOptions } from './check-address.ts';

export interface DestinationChecksOptions extends Pick<CheckOptions, 'allowPrivateAddresses' | 'log'> {
  readonly data: Pick<Database, 'destinationChecks'>;
}

/**
 * States:
 * - claiming: from the constructor. `claim` takes waiting checks while fewer than `checking.mostOfAgent` run. If more
 *   may wait, `#owesClaim` is set, and each check that ends claims again.
 * - ending: after `end`. Nothing more is claimed; running checks finish.
 */
export class DestinationChecks {
  readonly #options: DestinationChecksOptions;
  readonly #underWay = new Set<Promise<void>>();
  #last: Promise<void> = Promise.resolve();
  /** True if checks may still wait that did not fit. */
  #owesClaim = false;
  #isEnding = false;

  constructor(options: DestinationChecksOptions) {
    this.#options = options;
  }

  /** Claims waiting checks that fit, after earlier claims have ended: two claims at once would take too many. */
  claim(): Promise<void> {
    const claimed = this.#last.then(() => this.#claimWhatFits());
    this.#last = claimed.catch(() => {});
    return claimed;
  }

  /** Stops claiming. Resolves when no check runs. */
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

  /** Claims again after an agent was full: the wake-up for those checks has passed. */
  async #claimOwed(): Promise<void> {
    if (!this.#owesClaim) return;
    await this.claim().catch((error: unknown) => this.#logFailure({ error: String(error) }));
  }

  /** Never rejects. A check whose result cannot be saved times out, which its user sees. */
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
