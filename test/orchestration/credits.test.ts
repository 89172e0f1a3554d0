// Any interleaving of what can happen to credits, on Postgres and with a fake clock, against a model that recomputes everything.
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import type { Database } from '../../lambda/data/database.ts';
import { graceMs } from '../../lambda/domain/credits.ts';
import type { PaymentReport } from '../../lambda/domain/payment-reports.ts';
import { applyPayments } from '../../lambda/orchestration/apply-payments.ts';
import { fireCredits } from '../../lambda/orchestration/fire-credits.ts';
import { meterStream } from '../../lambda/orchestration/meter.ts';
import { stopStream } from '../../lambda/orchestration/stop-stream.ts';
import { testService } from '../support/service.ts';
import { CreditsModel } from './credits-model.ts';

const service = testService();
const runs = Number(process.env.CREDITS_RUNS ?? 12);
const streamCount = 3;
const roles = ['primary', 'backup'] as const;
type Role = (typeof roles)[number];

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('live' as const),
      stream: fc.nat(streamCount - 1),
      role: fc.constantFrom(...roles),
      crash: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('dark' as const),
      stream: fc.nat(streamCount - 1),
      role: fc.constantFrom(...roles),
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
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      invoice: fc.nat(),
      share: fc.double({ min: 0.1, max: 1, noNaN: true }),
      fails: fc.boolean(),
      early: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('dispute' as const),
      invoice: fc.nat(),
      outcome: fc.constantFrom('open', 'won', 'lost'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('price' as const), factor: fc.integer({ min: 1, max: 30 }) }) },
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

afterEach(async () => {
  expect(await databaseOn(service.pool()).reconciliation.differences()).toEqual([]);
});

// oxlint-disable-next-line vitest/expect-expect -- the world expects, after each step
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

class World {
  readonly #userID: string;
  readonly #model = new CreditsModel(Date.UTC(2030, 0, 1));
  readonly #reversed = new Map<string, number>();
  #factor = 7;
  #ids = 0;
  #hadReversals = false;
  #stopped = new Set<number>();

  static async make(): Promise<World> {
    const user = await service.user(0);
    const world = new World(user.id);
    for (let stream = 0; stream < streamCount; stream++) {
      await service
        .pool()
        .query(`insert into streams (id, user_id, run_quality, run_framerate) values ($1, $2, 'q_720p', 'f_30')`, [
          world.#streamID(stream),
          user.id,
        ]);
      for (const role of roles) {
        await service
          .pool()
          .query(
            `insert into replicas (id, stream_id, role, backend, slots, state) values ($1, $2, $3, 'ffmpeg', 1, 'failing')`,
            [world.#replicaID(stream, role), world.#streamID(stream), role],
          );
      }
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
        // Nobody may start without credits; what runs within the grace may come back.
        if (this.#stopped.has(each.stream) && this.#model.left() <= 0) return;
        if (this.#stopped.has(each.stream)) await this.#run(each.stream);
        return this.#evidence(each.stream, each.role, true, each.crash);
      case 'dark':
        return this.#evidence(each.stream, each.role, false, each.crash);
      case 'stop':
        return this.#stop(each.stream, each.crash);
      case 'wait':
        return this.#wait(each.ms, each.lateMs);
      case 'topUp':
        return this.#topUp(each.cents, each.deliveries);
      case 'refund':
        return this.#reverse('refund', each.invoice, each.share, each.fails ? 'won' : 'open', each.early);
      case 'dispute':
        return this.#reverse('dispute', each.invoice, 1, each.outcome, false);
      case 'price':
        this.#factor = each.factor;
    }
  }

  /** Everything that the model knows, read from Postgres. */
  async compare(): Promise<void> {
    const { billing, reconciliation } = databaseOn(service.pool());
    const at = new Date(this.#model.nowMs);
    const { balance, credits_left: left } = await billing.overview(this.#userID, at);
    const rows = await billing.list(this.#userID, null, 1000);
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
    const outlook = await this.#outlook();
    const expected = this.#model.expectedExhaustion();
    if (outlook !== null && expected !== null) expect(Math.abs(outlook - expected)).toBeLessThanOrEqual(1000);
    else if (this.#model.balance > 0 || this.#model.open.size > 0) expect([outlook]).toEqual([expected]);
    this.#model.exhaustedAtMs = outlook;
    expect(await reconciliation.differences()).toEqual([]);
  }

  #streamID = (stream: number) => `str_${this.#userID}_${stream}`;
  #replicaID = (stream: number, role: Role) => `rep_${this.#userID}_${stream}_${role}`;
  #price = ({ role }: { role: Role }) => ({
    version: String(this.#factor),
    creditsPerHour: this.#factor * (role === 'backup' ? 0.5 : 1) + 0.3333,
  });

  async #outlook(): Promise<number | null> {
    const { rows } = await service
      .pool()
      .query<{ at: Date | null }>('select credits_exhausted_at as at from billing_accounts where user_id = $1', [
        this.#userID,
      ]);
    return rows[0]?.at?.getTime() ?? null;
  }

  /** What dies before its commit is done again. */
  async #transaction(crash: boolean, work: (data: Database) => Promise<void>): Promise<void> {
    const died = new Error('killed');
    if (crash) {
      await inTransaction(service.pool(), async (data) => {
        await work(data);
        throw died;
      }).catch((error: unknown) => expect(error).toBe(died));
    }
    await inTransaction(service.pool(), work);
  }

  async #run(stream: number): Promise<void> {
    this.#stopped.delete(stream);
    await service.pool().query(`update streams set state = 'active' where id = $1`, [this.#streamID(stream)]);
    await service
      .pool()
      .query(`update replicas set wanted = 'live', state = 'failing', agent_id = null where stream_id = $1`, [
        this.#streamID(stream),
      ]);
  }

  async #evidence(stream: number, role: Role, isLive: boolean, crash: boolean): Promise<void> {
    if (this.#stopped.has(stream)) return;
    const replicaID = this.#replicaID(stream, role);
    const streamID = this.#streamID(stream);
    await service
      .pool()
      .query(
        `insert into agents (id, supervisor, release, lease_expires_at) values ($1, 's', 'r', 'infinity') on conflict do nothing`,
        [`agent_${this.#userID}`],
      );
    await service.pool().query(`update replicas set agent_id = $2 where id = $1`, [replicaID, `agent_${this.#userID}`]);
    await this.#transaction(crash, async (data) => {
      const row = (await data.streams.lockAny(streamID))!;
      await data.replicas.report(
        { id: replicaID, agent_id: `agent_${this.#userID}`, epoch: 0 },
        isLive ? 'live' : 'failing',
        null,
      );
      await meterStream(data, row, new Date(this.#model.nowMs), this.#price);
    });
    if (isLive) this.#model.begin(replicaID, Math.round(this.#price({ role }).creditsPerHour * 1e4));
    else this.#model.end(replicaID);
  }

  async #stop(stream: number, crash: boolean): Promise<void> {
    await this.#transaction(crash, async (data) => {
      await stopStream(data, (await data.streams.lockAny(this.#streamID(stream)))!, 'stop', {
        paidUntil: new Date(this.#model.nowMs),
      });
    });
    await this.#hasStopped(stream, this.#model.nowMs);
  }

  async #hasStopped(stream: number, atMs: number): Promise<void> {
    this.#stopped.add(stream);
    // In the order in which one statement ends them, which does not matter to what is left.
    for (const role of roles) this.#model.end(this.#replicaID(stream, role), atMs);
    await service.pool().query(`update replicas set state = 'ended' where stream_id = $1`, [this.#streamID(stream)]);
  }

  /** Agents ask every second what is due; here up to two seconds late. */
  async #wait(ms: number, lateMs: number): Promise<void> {
    const untilMs = this.#model.nowMs + ms;
    for (;;) {
      const { rows } = await service
        .pool()
        .query<{ at: Date | null }>('select due_at as at from billing_accounts where user_id = $1', [this.#userID]);
      const dueMs = rows[0]?.at?.getTime();
      if (dueMs === undefined || dueMs > untilMs) break;
      this.#model.nowMs = Math.max(this.#model.nowMs, dueMs) + lateMs;
      const exhaustedAtMs = (await this.#outlook())!;
      await Promise.all([
        fireCredits(service.pool(), new Date(this.#model.nowMs)),
        fireCredits(service.pool(), new Date(this.#model.nowMs)),
      ]);
      const stopped = await service
        .pool()
        .query<{ id: string }>(`select id from streams where user_id = $1 and state in ('stopping', 'stopped')`, [
          this.#userID,
        ]);
      for (let stream = 0; stream < streamCount; stream++) {
        if (this.#stopped.has(stream) || !stopped.rows.some(({ id }) => id === this.#streamID(stream))) continue;
        expect(this.#model.nowMs).toBeGreaterThanOrEqual(exhaustedAtMs + graceMs);
        expect(this.#model.nowMs).toBeLessThanOrEqual(exhaustedAtMs + graceMs + 4000);
        await this.#hasStopped(stream, exhaustedAtMs + graceMs);
      }
      await this.compare();
    }
    this.#model.nowMs = Math.max(this.#model.nowMs, untilMs);
    // Credits that were gone when somebody last looked are still gone; nothing runs on beyond the grace.
    if (this.#model.exhaustedAtMs !== null && this.#model.nowMs > this.#model.exhaustedAtMs + graceMs)
      expect(this.#model.open.size).toBe(0);
  }

  async #deliver(reports: readonly PaymentReport[], times = 1): Promise<void> {
    const { payments } = databaseOn(service.pool());
    const id = `${this.#userID}/${++this.#ids}`;
    const clock = () => Promise.resolve(new Date(this.#model.nowMs));
    for (let time = 0; time < times; time++) await payments.keep({ provider: 'test', id, body: '', meaning: reports });
    await Promise.all([applyPayments(service.pool(), clock), applyPayments(service.pool(), clock)]);
  }

  async #topUp(cents: number, deliveries: number): Promise<void> {
    const { billing } = databaseOn(service.pool());
    const invoiceID = `inv_${this.#userID}_${this.#model.invoices.length}`;
    await billing.insertPending({
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

  async #reverse(
    kind: 'refund' | 'dispute',
    place: number,
    share: number,
    outcome: 'open' | 'won' | 'lost',
    early: boolean,
  ): Promise<void> {
    const invoice = this.#model.invoices[place % Math.max(1, this.#model.invoices.length)];
    if (!invoice) return;
    this.#hadReversals = true;
    const id = `${kind}_${this.#userID}_${++this.#ids}`;
    const amountCents = Math.max(1, Math.floor((invoice.bought / 1e4) * share));
    const report = (taken: boolean, final: boolean) =>
      this.#deliver([{ kind, id, paymentReference: `pi_${invoice.id}`, amountCents, taken, final }], 2);
    if (early && outcome === 'won') {
      // What is final was delivered first: what comes after it changes nothing.
      await report(false, true);
      await report(true, false);
      return;
    }
    const before = this.#reversed.get(invoice.id) ?? 0;
    const units = Math.min(amountCents * 1e4, invoice.bought - before);
    await report(true, false);
    this.#model.take(units, invoice);
    if (outcome === 'won') {
      await report(false, true);
      this.#model.give(invoice, units);
    } else {
      this.#reversed.set(invoice.id, before + units);
      if (outcome === 'lost') await report(true, true);
    }
  }
}
