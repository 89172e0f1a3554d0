// Random sequences of credit events, on Postgres and with a fake clock, compared with a model without SQL.
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { databaseOn, inTransaction } from '../../../lambda/data/database.ts';
import type { Database } from '../../../lambda/data/database.ts';
import { graceMs } from '../../../lambda/domain/billing/credits.ts';
import type { PaymentReport } from '../../../lambda/domain/billing/payment-reports.ts';
import { applyPayments } from '../../../lambda/orchestration/billing/apply-payments.ts';
import { chargeStorage } from '../../../lambda/orchestration/billing/charge-storage.ts';
import { fireCredits } from '../../../lambda/orchestration/accounts/fire-credits.ts';
import { meterStream } from '../../../lambda/orchestration/billing/meter.ts';
import { stopStream } from '../../../lambda/orchestration/streams/stop-stream.ts';
import { handTo } from '../../support/replica-claims.ts';
import { testService } from '../../support/service.ts';
import { CreditsModel } from './credits-model.ts';
import type { ModelInvoice } from './credits-model.ts';

const service = testService();
const runs = Number(process.env.CREDITS_RUNS ?? 12);
const streamCount = 3;
const gibibyte = 1024 ** 3;
const freeStoredGiB = 2;
const roles = ['primary', 'backup'] as const;
type Role = (typeof roles)[number];
/** Number of outputs of each stream. They are numbered from 0. */
const outputCount = 3;
const outputNumbers = Array.from({ length: outputCount }, (_, number) => number);

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('live' as const),
      stream: fc.nat(streamCount - 1),
      role: fc.constantFrom(...roles),
      output: fc.nat(outputCount - 1),
      crash: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('dark' as const),
      stream: fc.nat(streamCount - 1),
      role: fc.constantFrom(...roles),
      output: fc.nat(outputCount - 1),
      crash: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('stop' as const), stream: fc.nat(streamCount - 1), crash: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.nat(2000), fc.nat(600_000), fc.nat(40 * 3_600_000)),
      lateMs: fc.nat(2000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('topUp' as const),
      cents: fc.integer({ min: 1, max: 400 }),
      deliveries: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      invoice: fc.nat(),
      share: fc.double({ min: 0.1, max: 1, noNaN: true }),
      fails: fc.boolean(),
      early: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('dispute' as const),
      invoice: fc.nat(),
      outcome: fc.constantFrom('open', 'won', 'lost'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('close' as const),
      reversal: fc.nat(),
      outcome: fc.constantFrom('won', 'won', 'lost'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('store' as const), bytes: fc.nat(200 * gibibyte) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('price' as const), factor: fc.integer({ min: 1, max: 30 }) }) },
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

afterEach(async () => {
  expect(await databaseOn(service.pool()).reconciliation.differences()).toEqual([]);
});

// oxlint-disable-next-line vitest/expect-expect -- World expects, after each step
it('the ledger balances, pays each live second once, and goes below zero by the grace at most', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 60 }), async (actions) => {
      const world = await World.make();
      for (const each of actions) {
        await world.act(each);
        await world.compare();
      }
    }),
    { numRuns: runs, endOnFailure: process.env.CREDITS_SHRINK === undefined },
  );
}, 600_000);

interface Asked {
  readonly kind: 'refund' | 'dispute';
  /** Number of the invoice among those that the user has paid, modulo their count. */
  readonly place: number;
  /** The refunded share of the invoice, up to 1. */
  readonly share: number;
  readonly outcome: 'open' | 'won' | 'lost';
  /** Whether the final report comes before the others. */
  readonly isEarly: boolean;
}

/** A refund or dispute that holds credits. */
interface Held {
  readonly kind: 'refund' | 'dispute';
  readonly id: string;
  readonly invoice: ModelInvoice;
  readonly amountCents: number;
  /** Whether it can still be returned. */
  isOpen: boolean;
}

/** A user with streams, the time, and the model of the user's credits. */
class World {
  readonly #userID: string;
  readonly #model = new CreditsModel(Date.UTC(2030, 0, 1));
  readonly #held: Held[] = [];
  #factor = 7;
  #ids = 0;
  #hadReversals = false;
  #stopped = new Set<number>();
  /** By stream and role: the live outputs, and the one of them that has the full price. */
  readonly #live = new Map<string, Set<number>>();
  readonly #fullPrice = new Map<string, number>();

  static async make(): Promise<World> {
    const user = await service.user(0);
    const world = new World(user.id);
    // Users of earlier tests are not charged any more.
    await service.pool().query('delete from storage_accounts');
    await databaseOn(service.pool()).storageCharges.open(user.id, new Date(world.#model.nowMs), '2030-01-01');
    await world.#storeAgent();
    for (let stream = 0; stream < streamCount; stream++) {
      await world.#storeStream(stream);
      await world.#run(stream);
    }
    return world;
  }

  constructor(userID: string) {
    this.#userID = userID;
  }

  async act(each: Action): Promise<void> {
    switch (each.do) {
      case 'live':
        // A stream cannot start without credits. One that runs within the grace period may become live again.
        if (this.#stopped.has(each.stream) && this.#model.left() <= 0) return;
        if (this.#stopped.has(each.stream)) await this.#run(each.stream);
        return this.#evidence(each, 'live');
      case 'dark':
        return this.#evidence(each, 'failing');
      case 'stop':
        return this.#stop(each.stream, each);
      case 'wait':
        return this.#wait(each.ms, each.lateMs);
      case 'topUp':
        return this.#topUp(each.cents, each.deliveries);
      case 'refund':
        return this.#reverse({
          kind: 'refund',
          place: each.invoice,
          share: each.share,
          outcome: each.fails ? 'won' : 'open',
          isEarly: each.early,
        });
      case 'dispute':
        return this.#reverse({
          kind: 'dispute',
          place: each.invoice,
          share: 1,
          outcome: each.outcome,
          isEarly: false,
        });
      case 'close': {
        const open = this.#held.filter(({ isOpen }) => isOpen);
        const held = open[each.reversal % Math.max(1, open.length)];
        return held && this.#close(held, each.outcome);
      }
      case 'store':
        return this.#store(each.bytes);
      case 'price':
        this.#factor = each.factor;
    }
  }

  /** Compares all values of the model with Postgres. */
  async compare(): Promise<void> {
    const { creditAccounts, invoices, reconciliation } = databaseOn(service.pool());
    const at = new Date(this.#model.nowMs);
    const { balance, credits_left: left } = await creditAccounts.overview(this.#userID, at);
    const rows = await invoices.list(this.#userID, null, 1000);
    const remaining = Object.fromEntries(
      rows
        .filter(({ type, state }) => type === 'credit_purchase' && state !== 'pending')
        .map((row) => [row.id, row.remaining_credits]),
    );
    expect({ balance, left, remaining }).toEqual({
      balance: this.#model.balance / 1e4,
      left: this.#model.left() / 1e4,
      remaining: Object.fromEntries(this.#model.invoices.map((invoice) => [invoice.id, invoice.remaining / 1e4])),
    });
    if (!this.#hadReversals) expect(this.#model.left()).toBeGreaterThanOrEqual(this.#model.floor);
    const { exhaustedMs: outlook } = await this.#account();
    const expected = this.#model.expectedExhaustion();
    if (outlook !== null && expected !== null) expect(Math.abs(outlook - expected)).toBeLessThanOrEqual(1000);
    else if (this.#model.balance > 0 || this.#model.open.size > 0) expect([outlook]).toEqual([expected]);
    this.#model.exhaustedAtMs = outlook;
    expect(await reconciliation.differences()).toEqual([]);
  }

  #streamID = (stream: number) => `str_${this.#userID}_${stream}`;
  #outputID = (stream: number, output: number) => (output === 0 ? null : `out_${this.#userID}_${stream}_${output}`);
  #replicaID = (stream: number, role: Role, output: number) => `rep_${this.#userID}_${stream}_${role}_${output}`;
  #price = ({ role, isFurther = false }: { role: Role; isFurther?: boolean }) => ({
    version: String(this.#factor),
    creditsPerHour: this.#factor * (role === 'backup' ? 0.5 : 1) * (isFurther ? 0.6 : 1) + 0.3333,
  });

  /** Postgres' time of the next check of credits, and of their end, in milliseconds; null: never. */
  async #account(): Promise<{ dueMs: number | null; exhaustedMs: number | null }> {
    const query = 'select due_at, credits_exhausted_at from billing_accounts where user_id = $1';
    const { rows } = await service
      .pool()
      .query<{ due_at: Date | null; credits_exhausted_at: Date | null }>(query, [this.#userID]);
    const { due_at: dueAt, credits_exhausted_at: exhaustedAt } = rows[0] ?? {};
    return { dueMs: dueAt?.getTime() ?? null, exhaustedMs: exhaustedAt?.getTime() ?? null };
  }

  /** Whether a purchase of the user is left that was not refunded whole. */
  async #hasBought(): Promise<boolean> {
    const rows = await databaseOn(service.pool()).invoices.list(this.#userID, null, 1000);
    return rows.some(({ type, state }) => type === 'credit_purchase' && state === 'paid');
  }

  /** Runs work in a transaction. @param crash aborts it before its commit, then it runs again */
  async #transaction({ crash }: { crash: boolean }, work: (data: Database) => Promise<void>): Promise<void> {
    const died = new Error('killed');
    if (crash) {
      await inTransaction(service.pool(), async (data) => {
        await work(data);
        throw died;
      }).catch((error: unknown) => expect(error).toBe(died));
    }
    await inTransaction(service.pool(), work);
  }

  get #agentID() {
    return `agent_${this.#userID}`;
  }

  /** Stores an agent whose lease never ends. */
  async #storeAgent(): Promise<void> {
    await service.pool().query(
      `insert into agents (id, supervisor, release, backends, capacity, lease_expires_at)
       values ($1, 's', 'r', '{}', '{}', 'infinity')`,
      [this.#agentID],
    );
  }

  /** Stores a stream with a replica of each role for each of its outputs. */
  async #storeStream(stream: number): Promise<void> {
    const streamID = this.#streamID(stream);
    await service.pool().query(
      `insert into streams (id, user_id, run_quality, run_framerate)
       values ($1, $2, 'q_720p', 'f_30')`,
      [streamID, this.#userID],
    );
    for (const output of outputNumbers) {
      const outputID = this.#outputID(stream, output);
      if (outputID !== null)
        await service
          .pool()
          .query(`insert into outputs (id, stream_id, destination_id) values ($1, $2, $1)`, [outputID, streamID]);
      for (const role of roles) {
        await service.pool().query(
          `insert into replicas (id, stream_id, output_id, role, backend, state, cores, cores_beside_gpu, thread,
             memory_mib, network_mbps, gpu_megapixels)
           values ($1, $2, $3, $4, 'ffmpeg', 'failing', 1, 0, 0, 0, 0, 0)`,
          [this.#replicaID(stream, role, output), streamID, outputID, role],
        );
      }
    }
  }

  /** Makes a stream run, with replicas without a holder. */
  async #run(stream: number): Promise<void> {
    this.#stopped.delete(stream);
    const streamID = this.#streamID(stream);
    await service.pool().query(`update streams set state = 'active', status = 'ACTIVE' where id = $1`, [streamID]);
    await service.pool().query(
      `update replicas
       set wanted = 'live', state = 'failing', agent_id = null
       where stream_id = $1`,
      [streamID],
    );
  }

  async #evidence(
    { stream, role, output, crash }: { stream: number; role: Role; output: number; crash: boolean },
    state: 'live' | 'failing',
  ): Promise<void> {
    if (this.#stopped.has(stream)) return;
    const replicaID = this.#replicaID(stream, role, output);
    await handTo(service, replicaID, this.#agentID);
    await this.#transaction({ crash }, async (data) => {
      const row = (await data.streams.lockAny(this.#streamID(stream)))!;
      await data.replicas.report({ id: replicaID, agent_id: this.#agentID, epoch: 0 }, state, null);
      await meterStream(data, row, new Date(this.#model.nowMs), this.#price);
    });
    const live = this.#liveOutputs(stream, role);
    if (state === 'live') live.add(output);
    else live.delete(output);
    this.#applyPrices(stream, role);
  }

  /** The numbers of the live outputs of a stream in the model. */
  #liveOutputs(stream: number, role: Role): Set<number> {
    const key = `${stream} ${role}`;
    const live = this.#live.get(key) ?? new Set();
    this.#live.set(key, live);
    return live;
  }

  /** One live output has the full price: the one that had it, otherwise the first. */
  #applyPrices(stream: number, role: Role): void {
    const key = `${stream} ${role}`;
    const live = this.#liveOutputs(stream, role);
    const idOf = (output: number) => this.#replicaID(stream, role, output);
    for (const output of outputNumbers) if (!live.has(output)) this.#model.end(idOf(output));
    const before = this.#fullPrice.get(key);
    if (before === undefined || !live.has(before)) {
      const first = outputNumbers.find((output) => live.has(output));
      this.#fullPrice.delete(key);
      if (first === undefined) return;
      this.#fullPrice.set(key, first);
      this.#model.end(idOf(first));
    }
    for (const output of live) {
      const isFurther = output !== this.#fullPrice.get(key);
      this.#model.begin(idOf(output), Math.round(this.#price({ role, isFurther }).creditsPerHour * 1e4));
    }
  }

  async #stop(stream: number, { crash }: { crash: boolean }): Promise<void> {
    await this.#transaction({ crash }, async (data) => {
      await stopStream(data, (await data.streams.lockAny(this.#streamID(stream)))!, 'stop', {
        paidUntil: new Date(this.#model.nowMs),
      });
    });
    await this.#hasStopped(stream, this.#model.nowMs);
  }

  async #hasStopped(stream: number, atMs: number): Promise<void> {
    this.#stopped.add(stream);
    for (const role of roles) {
      for (const output of outputNumbers) this.#model.end(this.#replicaID(stream, role, output), atMs);
      this.#liveOutputs(stream, role).clear();
      this.#fullPrice.delete(`${stream} ${role}`);
    }
    await service.pool().query(`update replicas set state = 'ended' where stream_id = $1`, [this.#streamID(stream)]);
  }

  /** Waits, and checks the credits when due, up to two seconds late: agents look for due work every second. */
  async #wait(ms: number, lateMs: number): Promise<void> {
    const untilMs = this.#model.nowMs + ms;
    for (;;) {
      const { dueMs, exhaustedMs } = await this.#account();
      if (dueMs === null || dueMs > untilMs) break;
      const isOverdue = dueMs < this.#model.nowMs;
      this.#model.nowMs = Math.max(this.#model.nowMs, dueMs) + lateMs;
      const now = new Date(this.#model.nowMs);
      await Promise.all([fireCredits(service.pool(), now), fireCredits(service.pool(), now)]);
      const graceEndsMs = this.#model.graceEndsMs(exhaustedMs!, await this.#hasBought());
      for (const stream of await this.#streamsJustStopped()) {
        expect(this.#model.nowMs).toBeGreaterThanOrEqual(graceEndsMs);
        if (!isOverdue) expect(this.#model.nowMs).toBeLessThanOrEqual(graceEndsMs + 4000);
        await this.#hasStopped(stream, graceEndsMs);
      }
      await this.compare();
    }
    this.#model.nowMs = Math.max(this.#model.nowMs, untilMs);
    await this.#chargeStorage();
    // Credits that were used up at the last check still are, and no stream runs longer than the grace period.
    if (this.#model.exhaustedAtMs !== null && this.#model.nowMs > this.#model.exhaustedAtMs + graceMs)
      expect(this.#model.open.size).toBe(0);
  }

  /** Sets the user's stored bytes directly, because the clock of the triggers differs from this world's. */
  async #store(bytes: number): Promise<void> {
    await service.pool().query(
      `insert into stored_levels (user_id, hour, bytes) values ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3)
       on conflict (user_id, hour) do update set bytes = excluded.bytes`,
      [this.#userID, new Date(this.#model.nowMs), bytes],
    );
    this.#model.store(bytes);
  }

  /** Charges the past days, by several sweeps at once. */
  async #chargeStorage(): Promise<void> {
    const now = new Date(this.#model.nowMs);
    const sweeps = Array.from({ length: 3 }, () => chargeStorage(service.pool(), { freeStoredGiB }, now));
    await Promise.all(sweeps);
    this.#model.chargeStorage(freeStoredGiB * gibibyte);
  }

  /** The streams that stop in Postgres and still run in the model. */
  async #streamsJustStopped(): Promise<number[]> {
    const query = `select id from streams where user_id = $1 and state in ('stopping', 'stopped')`;
    const { rows } = await service.pool().query<{ id: string }>(query, [this.#userID]);
    const stopped = new Set(rows.map(({ id }) => id));
    const all = Array.from({ length: streamCount }, (_, stream) => stream);
    return all.filter((stream) => stopped.has(this.#streamID(stream)) && !this.#stopped.has(stream));
  }

  /** Delivers a message of a provider repeatedly, and applies it twice at once. */
  async #deliver(reports: readonly PaymentReport[], times = 1): Promise<void> {
    const { payments } = databaseOn(service.pool());
    const id = `${this.#userID}/${++this.#ids}`;
    const clock = () => Promise.resolve(new Date(this.#model.nowMs));
    for (let time = 0; time < times; time++) await payments.keep({ provider: 'test', id, body: '', meaning: reports });
    await Promise.all([applyPayments(service.pool(), null, clock), applyPayments(service.pool(), null, clock)]);
  }

  async #topUp(cents: number, deliveries: number): Promise<void> {
    const { invoices } = databaseOn(service.pool());
    const invoiceID = `inv_${this.#userID}_${this.#model.invoices.length}`;
    await invoices.insertPending({
      id: invoiceID,
      userID: this.#userID,
      type: 'credit_purchase',
      method: 'card',
      cost: cents / 100,
      credits: cents,
    });
    const paid = {
      kind: 'paid',
      invoiceID,
      paymentReference: `pi_${invoiceID}`,
      amountCents: cents,
      currency: 'USD',
    } as const;
    await this.#deliver([paid], deliveries);
    await this.#deliver([{ kind: 'expired', invoiceID }, paid]);
    this.#model.buy(invoiceID, cents * 1e4);
  }

  async #reverse({ kind, place, share, outcome, isEarly }: Asked): Promise<void> {
    const invoice = this.#model.invoices[place % Math.max(1, this.#model.invoices.length)];
    if (!invoice) return;
    this.#hadReversals = true;
    const id = `${kind}_${this.#userID}_${++this.#ids}`;
    const amountCents = Math.max(1, Math.floor((invoice.bought / 1e4) * share));
    const held: Held = { kind, id, invoice, amountCents, isOpen: true };
    if (isEarly && outcome === 'won') {
      // The final report is delivered first: later ones change nothing.
      await this.#report(held, false, true);
      await this.#report(held, true, false);
      return;
    }
    const before = this.#heldOf(invoice);
    await this.#report(held, true, false);
    this.#held.push(held);
    this.#model.take(this.#heldOf(invoice) - before, invoice);
    if (outcome !== 'open') await this.#close(held, outcome);
  }

  async #close(held: Held, outcome: 'won' | 'lost'): Promise<void> {
    const { invoice } = held;
    held.isOpen = false;
    // The bank can still return a succeeded refund, but a lost dispute stays lost.
    if (outcome === 'lost') return this.#report(held, true, held.kind === 'dispute');
    const before = this.#heldOf(invoice);
    this.#held.splice(this.#held.indexOf(held), 1);
    await this.#report(held, false, true);
    this.#model.give(invoice, before - this.#heldOf(invoice));
  }

  /** The amount that refunds and disputes of an invoice hold: all reported amounts, up to the paid one. */
  #heldOf(invoice: ModelInvoice): number {
    const reported = this.#held.filter((held) => held.invoice === invoice);
    return Math.min(
      invoice.bought,
      reported.reduce((sum, { amountCents }) => sum + amountCents * 1e4, 0),
    );
  }

  #report({ kind, id, invoice, amountCents }: Held, taken: boolean, final: boolean): Promise<void> {
    return this.#deliver([{ kind, id, paymentReference: `pi_${invoice.id}`, amountCents, taken, final }], 2);
  }
}
