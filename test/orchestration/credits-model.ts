// A model of credits that knows no SQL: integers, lists and the rules, for the real thing to be compared with.

const graceMs = 5 * 60_000;
const hourMs = 3_600_000n;

/** All amounts are units of 1/10,000 credit. */
export interface ModelInvoice {
  readonly id: string;
  readonly bought: number;
  readonly paidAtMs: number;
  remaining: number;
}

interface Interval {
  readonly rate: number;
  readonly startMs: number;
}

export const costOf = (rate: number, ms: number): number =>
  Number((BigInt(rate) * BigInt(Math.max(0, ms)) * 2n + hourMs) / (2n * hourMs));

export class CreditsModel {
  nowMs: number;
  exhaustedAtMs: number | null = null;
  debt = 0;
  /** The most that was ever burnt at once, per hour. */
  peakRate = 0;
  readonly invoices: ModelInvoice[] = [];
  readonly open = new Map<string, Interval>();

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  get balance(): number {
    return this.invoices.reduce((sum, { remaining }) => sum + remaining, 0 - this.debt);
  }

  left(atMs = this.nowMs): number {
    return [...this.open.values()].reduce(
      (left, { rate, startMs }) => left - costOf(rate, atMs - startMs),
      this.balance,
    );
  }

  get rate(): number {
    return [...this.open.values()].reduce((sum, { rate }) => sum + rate, 0);
  }

  begin(replica: string, rate: number): void {
    if (!this.open.has(replica)) this.open.set(replica, { rate, startMs: this.nowMs });
    this.peakRate = Math.max(this.peakRate, this.rate);
  }

  end(replica: string, atMs = this.nowMs): void {
    const interval = this.open.get(replica);
    if (!interval) return;
    this.open.delete(replica);
    this.take(costOf(interval.rate, atMs - interval.startMs), null);
  }

  buy(id: string, units: number): void {
    const invoice = { id, bought: units, paidAtMs: this.nowMs, remaining: 0 };
    this.invoices.push(invoice);
    this.give(invoice, units);
  }

  give(invoice: ModelInvoice, units: number): void {
    const repaid = Math.min(this.debt, units + invoice.remaining);
    this.debt -= repaid;
    invoice.remaining += units - repaid;
  }

  /** From `first`, then from the oldest; what is missing is owed. */
  take(units: number, first: ModelInvoice | null): void {
    const byAge = this.invoices.filter((invoice) => invoice !== first).sort((a, b) => a.paidAtMs - b.paidAtMs);
    for (const invoice of first ? [first, ...byAge] : byAge) {
      const part = Math.min(units, invoice.remaining);
      invoice.remaining -= part;
      units -= part;
    }
    this.debt += units;
  }

  /** When the credits are gone, as it follows from what is known now. */
  expectedExhaustion(): number | null {
    const left = this.left();
    if (left <= 0)
      return this.exhaustedAtMs !== null && this.exhaustedAtMs <= this.nowMs ? this.exhaustedAtMs : this.nowMs;
    return this.rate === 0 ? null : this.nowMs + (left / this.rate) * Number(hourMs);
  }

  /** How far below zero consumption may go: what the grace costs. */
  get floor(): number {
    return -costOf(this.peakRate, graceMs) - 10;
  }
}
