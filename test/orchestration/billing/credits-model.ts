// A model of credits without SQL: integers, lists and the rules, for comparison with the implementation.

const graceMs = 5 * 60_000;
/** Units that an account may owe within the grace. */
const graceUnits = { bought: 500_000, notBought: 50_000 };
const hourMs = 3_600_000n;
const dayMs = 86_400_000;
const gibibyte = 1_073_741_824n;

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

/** The cost of an interval, rounded to the nearest unit, half a unit up. */
export const costOf = (rate: number, ms: number): number =>
  Number((BigInt(rate) * BigInt(Math.max(0, ms)) * 2n + hourMs) / (2n * hourMs));

/** The cost of all byte-hours together; 4 credits for a GiB in 720 hours. */
export const storageCostOf = (byteHours: bigint): number =>
  Number((4n * 10_000n * byteHours * 2n + gibibyte * 720n) / (2n * gibibyte * 720n));

export class CreditsModel {
  nowMs: number;
  exhaustedAtMs: number | null = null;
  debt = 0;
  /** Bytes at the end of each hour, from the first known hour on. */
  readonly stored: { readonly atMs: number; bytes: number }[] = [];
  /** The midnight up to which storage is charged. */
  chargedToMs: number;
  /** The cost of storage so far. */
  storageUnits = 0;
  /** The highest rate so far, in units per hour. */
  peakRate = 0;
  readonly invoices: ModelInvoice[] = [];
  readonly open = new Map<string, Interval>();

  /** @param nowMs a midnight: storage is charged from then on */
  constructor(nowMs: number) {
    this.nowMs = nowMs;
    this.chargedToMs = nowMs;
  }

  get balance(): number {
    return this.invoices.reduce((sum, { remaining }) => sum + remaining, 0 - this.debt);
  }

  /** The balance less the cost of open intervals so far. */
  left(atMs = this.nowMs): number {
    return [...this.open.values()].reduce(
      (left, { rate, startMs }) => left - costOf(rate, atMs - startMs),
      this.balance,
    );
  }

  /** The rate of all open intervals together, in units per hour. */
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

  /** Adds to the remaining units of an invoice, after paying the debt from them. */
  give(invoice: ModelInvoice, units: number): void {
    const repaid = Math.min(this.debt, units + invoice.remaining);
    this.debt -= repaid;
    invoice.remaining += units - repaid;
  }

  /** Takes from the `first` invoice, then from the others, oldest first. A shortfall becomes debt. */
  take(units: number, first: ModelInvoice | null): void {
    const byAge = this.invoices.filter((invoice) => invoice !== first).sort((a, b) => a.paidAtMs - b.paidAtMs);
    for (const invoice of first ? [first, ...byAge] : byAge) {
      const part = Math.min(units, invoice.remaining);
      invoice.remaining -= part;
      units -= part;
    }
    this.debt += units;
  }

  store(bytes: number): void {
    const atMs = this.nowMs - (this.nowMs % Number(hourMs));
    const last = this.stored.at(-1);
    if (last?.atMs === atMs) last.bytes = bytes;
    else this.stored.push({ atMs, bytes });
  }

  /** Charges each past day, unless the debt would then exceed thirty such days. */
  chargeStorage(freeBytes: number): void {
    for (; this.chargedToMs + dayMs <= this.nowMs; this.chargedToMs += dayMs) {
      let byteHours = 0n;
      for (let hour = 0; hour < 24; hour++) {
        const atMs = this.chargedToMs + hour * Number(hourMs);
        const bytes = this.stored.findLast((level) => level.atMs <= atMs)?.bytes ?? 0;
        byteHours += BigInt(Math.max(0, bytes - freeBytes));
      }
      const cost = storageCostOf(byteHours);
      const units = Math.min(cost, Math.max(0, this.left() + 30 * cost));
      this.storageUnits += units;
      this.take(units, null);
    }
  }

  /** Time at which the credits are used up if nothing changes, in milliseconds; null: never. */
  expectedExhaustion(): number | null {
    const left = this.left();
    if (left <= 0)
      return this.exhaustedAtMs !== null && this.exhaustedAtMs <= this.nowMs ? this.exhaustedAtMs : this.nowMs;
    return this.rate === 0 ? null : this.nowMs + (left / this.rate) * Number(hourMs);
  }

  /** The end of the grace as of now. @param hasBought whether a purchase is left that was not refunded whole */
  graceEndsMs(exhaustedMs: number, hasBought: boolean): number {
    const units = this.left() + (hasBought ? graceUnits.bought : graceUnits.notBought);
    const paysForMs = this.rate === 0 ? Infinity : Math.floor((units / this.rate) * Number(hourMs));
    return Math.min(exhaustedMs + graceMs, Math.max(exhaustedMs, this.nowMs + paysForMs));
  }

  /** The lowest possible balance: the cost of the grace period, and storage. */
  get floor(): number {
    return -Math.min(costOf(this.peakRate, graceMs), graceUnits.bought) - this.storageUnits - 10;
  }
}
