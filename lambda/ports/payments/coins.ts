// Coins that users can pay with, and the data that clients need to send them.
// Processors do not report contracts and decimals.
import type { CryptoCurrency } from '../../domain/billing/crypto-currency.ts';

/** Constant facts of a currency. */
export interface Coin extends Omit<CryptoCurrency, 'rateUSD'> {
  readonly isStable: boolean;
}

/** EVM chain ids of networks (https://chainid.network). Other networks are not EVM chains. */
const chainIDs: Readonly<Record<string, number>> = { ERC20: 1, BEP20: 56, POL: 137, BASE: 8453 };
const stableSymbols = new Set(['USDT', 'USDC', 'DAI']);

/** Contracts and mints of tokens, as their issuers publish them. */
const table = [
  ['BTC', 'Bitcoin', 'BTC', 8, null],
  ['LTC', 'Litecoin', 'LTC', 8, null],
  ['DOGE', 'Dogecoin', 'DOGE', 8, null],
  ['ETH', 'Ether', 'ERC20', 18, null],
  ['ETH', 'Ether', 'BASE', 18, null],
  ['BNB', 'BNB', 'BEP20', 18, null],
  ['POL', 'Polygon', 'POL', 18, null],
  ['SOL', 'Solana', 'SOL', 9, null],
  ['TRX', 'Tron', 'TRC20', 6, null],
  ['USDT', 'Tether', 'TRC20', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ['USDT', 'Tether', 'ERC20', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
  ['USDT', 'Tether', 'BEP20', 18, '0x55d398326f99059fF775485246999027B3197955'],
  ['USDT', 'Tether', 'SOL', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
  ['USDC', 'USD Coin', 'ERC20', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
  ['USDC', 'USD Coin', 'BEP20', 18, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'],
  ['USDC', 'USD Coin', 'BASE', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  ['USDC', 'USD Coin', 'SOL', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  ['DAI', 'Dai', 'ERC20', 18, '0x6B175474E89094C44Da98b954EedeAC495271d0F'],
] as const satisfies readonly (readonly [
  symbol: string,
  name: string,
  network: string,
  decimals: number,
  contract: string | null,
])[];

/** One coin for each symbol and network. */
export const coins: readonly Coin[] = table.map(([symbol, name, network, decimals, contractAddress]) => {
  const chainId = chainIDs[network] ?? null;
  return {
    id: symbol === network ? symbol : `${symbol} (${network})`,
    name,
    symbol,
    network,
    decimals,
    icon: iconOf(symbol),
    transferKind: transferKindOf(chainId, contractAddress),
    chainId,
    contractAddress,
    isStable: stableSymbols.has(symbol),
  };
});

function transferKindOf(chainID: number | null, contract: string | null): Coin['transferKind'] {
  if (chainID === null) return 'NON_EVM';
  return contract === null ? 'EVM_NATIVE' : 'EVM_ERC20';
}

/** data: URL of a coin with its symbol, so that browsers need not ask another server, which could track them. */
function iconOf(symbol: string): string {
  const hue = Array.from(symbol).reduce((sum, letter) => sum + letter.charCodeAt(0) * 47, 0) % 360;
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
    `<circle cx="16" cy="16" r="16" fill="hsl(${hue} 55% 40%)"/>` +
    '<text x="16" y="20" font-family="sans-serif" font-size="9" font-weight="700" text-anchor="middle" fill="#fff">' +
    `${symbol}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
