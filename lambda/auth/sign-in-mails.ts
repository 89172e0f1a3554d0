// Sends the mails of sign-in, within the limits of each inbox and of each network that asks for them. Decision D272.
import { createHmac } from 'node:crypto';
import { queueAfterTransactionHook } from '@better-auth/core/context';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import { inboxOf } from '../domain/billing/inbox.ts';
import type { Log } from '../log.ts';
import { countMailOfNetwork, countMailToInbox } from '../orchestration/notices/count-mails.ts';
import type { ComposedMail, Mailer, Receiver } from '../ports/mailer/mailer.ts';
import { networkOfClient } from './client-address.ts';

interface Options {
  readonly pool: Pool;
  readonly mailer: Mailer;
  readonly serviceSecret: string;
  /** Multiplies the limits. */
  readonly rateLimitFactor: number;
  readonly log: Log;
}

/** A user who is mailed. */
interface MailedUser {
  readonly id: string;
  /** Whether its user has confirmed the address. */
  readonly emailVerified: boolean;
}

/** The headers of the request that a mail answers; undefined if there is none. */
type RequestHeaders = Headers | undefined;

export class SignInMails {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Sends a mail, or drops it with a line in the log, so that no answer depends on it.
   * @param user the one with the address of the mail
   * @param isForPassword whether it lets the user choose a new password
   */
  async send(
    mail: ComposedMail,
    user: MailedUser,
    headers: RequestHeaders,
    { isForPassword = false } = {},
  ): Promise<void> {
    const { mailer, log } = this.#options;
    // A sign-up is a transaction with a connection of its own. Mails are counted with another one.
    await queueAfterTransactionHook(async () => {
      const { subject } = mail;
      try {
        const limit = await this.#limitReached(mail.to, headers, isForPassword && user.emailVerified);
        if (limit === null) await mailer.send({ ...mail, receiver: await this.#receiverOf(user) });
        else log('sign_in_mail_held', { subject, limit });
      } catch (error) {
        log('mail_failed', { subject, error });
      }
    });
  }

  /**
   * Counts a request for a mail to an address that gets none. Else clients would see by the mails that their network
   * has left whether an address is known.
   */
  async countUnsent(headers: RequestHeaders): Promise<void> {
    await this.#countOfNetwork(headers);
  }

  async #receiverOf({ id, emailVerified }: MailedUser): Promise<Receiver> {
    if (!emailVerified) return 'unconfirmed';
    return (await databaseOn(this.#options.pool).users.isFunded(id)) ? 'funded' : 'unfunded';
  }

  /** The network comes first: one that has reached its limit must not use up that of an inbox. */
  async #limitReached(to: string, headers: RequestHeaders, isNeeded: boolean): Promise<'network' | 'inbox' | null> {
    const { pool, rateLimitFactor: factor } = this.#options;
    if (!(await this.#countOfNetwork(headers))) return 'network';
    return (await countMailToInbox(databaseOn(pool), { inbox: this.#hashOf(to), isNeeded, factor })) ? null : 'inbox';
  }

  #countOfNetwork(headers: RequestHeaders): Promise<boolean> {
    const { pool, rateLimitFactor } = this.#options;
    return countMailOfNetwork(databaseOn(pool), networkOfClient(headers), rateLimitFactor);
  }

  /** A keyed hash, as the windows store no addresses of mails. */
  #hashOf(email: string): string {
    return createHmac('sha256', this.#options.serviceSecret)
      .update(`inbox\n${inboxOf(email)}`)
      .digest('base64url');
  }
}
