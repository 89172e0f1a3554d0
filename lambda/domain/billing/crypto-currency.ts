// A coin on a network that users can pay with.

export const transferKinds = ['EVM_NATIVE', 'EVM_ERC20', 'NON_EVM'] as const;

export interface CryptoCurrency {
  /** `SYMBOL`, or `SYMBOL (NETWORK)` where there are several networks or the symbol does not say which. */
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly network: string;
  readonly decimals: number;
  /** URL of an SVG. */
  readonly icon: string;
  /** US dollars that one unit is worth; exactly 1 for stablecoins. */
  readonly rateUSD: number;
  /** How a client builds the payment transaction. */
  readonly transferKind: (typeof transferKinds)[number];
  readonly chainId: number | null;
  /** Token contract or mint; null for native coins. */
  readonly contractAddress: string | null;
}

/** The list of currencies is fetched again after this long. */
export const currenciesFreshMs = 5 * 60_000;
/** While the processor does not answer, the last list is used for this long. Not longer, since rates change. */
export const currenciesUsableMs = 60 * 60_000;
