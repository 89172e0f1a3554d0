// A coin on a network that users can pay with.

export const transferKinds = ['EVM_NATIVE', 'EVM_ERC20', 'NON_EVM'] as const;

export interface CryptoCurrency {
  /** `SYMBOL`, or `SYMBOL (NETWORK)` if there are several networks or the symbol does not imply one. */
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly network: string;
  readonly decimals: number;
  /** URL of an SVG. */
  readonly icon: string;
  /** US dollars for one unit; exactly 1 for stablecoins. */
  readonly rateUSD: number;
  /** Form of the payment transaction that a client builds. */
  readonly transferKind: (typeof transferKinds)[number];
  readonly chainId: number | null;
  /** Token contract or mint; null for native coins. */
  readonly contractAddress: string | null;
}

/** Age at which the list of currencies is fetched again. */
export const currenciesFreshMs = 5 * 60_000;
/** Greatest age of a list that is used while the processor does not answer; rates change. */
export const currenciesUsableMs = 60 * 60_000;
