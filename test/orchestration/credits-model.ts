// A model of credits that knows no SQL: integers, lists and the rules, for the real thing to be compared with.

const graceMs = 5 * 60_000;
const hourMs = 3_600_000n;

/** A purchase. All amounts of the model are units of 1/10,000 credit. */
export interface ModelInvoice {
  readonly id: string;
  readonly bought: number;
  readonly paidAtMs: number;
  remaining: number;
}

interface Interval {
  /** Units per hour. */
  readonly rate: number;
  readonly startMs: number;
}

/** What an interval costs, rounded to the nearest unit, half a unit up. */
export const costOf = (rate: number, ms: number): number =>
  Number((BigInt(rate) * BigInt(Math.max(0, ms)) * 2n + hourMs) / (2n * hourMs));

export class CreditsModel {
  nowMs: number;
  exhaustedAtMs: number | null = null;
  debt = 0;
  /** The most units per hour that were ever used at once. */
  peakRate = 0;
  readonly invoices: ModelInvoice[] = [];
  readonly open = new Map<string, Interval>();

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  get balance(): number {
    return this.invoices.reduce((sum, { remaining }) => sum + remaining, 0 - this.debt);
  }

  /** The balance less what open intervals have cost so far. */
  left(atMs = this.nowMs): number {
    return [...this.open.values()].reduce(
      (left, { rate, startMs }) => left - costOf(rate, atMs - startMs),
      this.balance,
    );
  }

  /** Units per hour that open intervals use together. */
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

  /** Adds to what is left of an invoice, once the debt is paid from it. */
  give(invoice: ModelInvoice, units: number): void {
    const repaid = Math.min(this.debt, units + invoice.remaining);
    this.debt -= repaid;
    invoice.remaining += units - repaid;
  }

  /** Takes from the `first` invoice, then from the others, oldest first. What is missing is owed. */
  take(units: number, first: ModelInvoice | null): void {
    const byAge = this.invoices.filter((invoice) => invoice !== first).sort((a, b) => a.paidAtMs - b.paidAtMs);
    for (const invoice of first ? [first, ...byAge] : byAge) {
      const part = Math.min(units, invoice.remaining);
      invoice.remaining -= part;
      units -= part;
    }
    this.debt += units;
  }

  /** When the credits are gone if nothing changes, in milliseconds; null for never. */
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
