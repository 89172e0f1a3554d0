// Payment by crypto currency: the address as text and QR code, and the deposits that have arrived.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { encode } from 'uqr';
import { CopyButton } from '../app/copy-button.tsx';
import { formatAmount, formatDollars, formatMoment } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import type { CryptoCurrency, CryptoDeposit, DepositAddress } from '../app/types.ts';
import { Choice } from '../kit/choice.tsx';
import { billingWords } from '#words/billing.ts';

const currenciesPath = '/crypto/currencies';
const depositsPath = '/crypto/deposits';

export function CoinTopUp(): ReactNode {
  const currencies = useLive<readonly CryptoCurrency[]>(currenciesPath);
  const [chosen, setChosen] = useState('');
  return (
    <section aria-labelledby="coins">
      <h2 id="coins">{billingWords.coins.title}</h2>
      <Loaded live={currencies} path={currenciesPath}>
        {(list) => {
          const options = list.map(({ id, name }) => [id, id.startsWith(name) ? id : `${name}, ${id}`] as const);
          const currency = list.find(({ id }) => id === chosen);
          return (
            <>
              <Choice
                name="currency"
                label={billingWords.coins.currency}
                options={[['', billingWords.coins.choose], ...options]}
                value={chosen}
                onChange={setChosen}
              />
              {currency && <Address key={currency.id} currency={currency} />}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function Address({ currency: { id, symbol, network, rateUSD } }: { readonly currency: CryptoCurrency }): ReactNode {
  const path = `${currenciesPath}/${encodeURIComponent(id)}/deposit-address`;
  const live = useLive<DepositAddress>(path);
  return (
    <Loaded live={live} path={path}>
      {({ address, memo }) => (
        <div className="coin">
          <QrCode text={address} />
          <div>
            <p className="error">{billingWords.coins.only(symbol, network)}</p>
            <Copied name={billingWords.coins.address(symbol, network)} text={address} label="copyAddress" />
            {memo !== null && <Copied name={billingWords.coins.memo} text={memo} label="copyMemo" />}
            <p className="hint">{billingWords.coins.rate(symbol, formatDollars(rateUSD))}</p>
          </div>
        </div>
      )}
    </Loaded>
  );
}

interface CopiedProps {
  readonly name: string;
  readonly text: string;
  readonly label: 'copyAddress' | 'copyMemo';
}

function Copied({ name, text, label }: CopiedProps): ReactNode {
  return (
    <>
      <p>{name}</p>
      <p>
        <code className="secret">{text}</code> <CopyButton text={text} label={billingWords.coins[label]} />
      </p>
    </>
  );
}

/** Dark on light in every theme: many cameras read no other QR codes. */
function QrCode({ text }: { readonly text: string }): ReactNode {
  const { size, data } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={billingWords.coins.picture}>
      <path d={`M0 0h${size}v${size}h-${size}z`} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}

export function Deposits(): ReactNode {
  const deposits = useLive<readonly CryptoDeposit[]>(depositsPath);
  if (!deposits.data?.length) return null;
  return (
    <section aria-labelledby="deposits">
      <h2 id="deposits">{billingWords.coins.deposits}</h2>
      <ul className="rows">
        {deposits.data.map(({ id, currencyID, amount, valueUSD, state, invoiceID, updatedAt }) => (
          <li key={id}>
            <div>
              <strong>
                {formatAmount(amount)} {currencyID}
              </strong>
              <p className="hint">
                {formatMoment(updatedAt)} ·{' '}
                {state === 'confirmed' && invoiceID === null
                  ? billingWords.coins.tooLittle
                  : billingWords.coins.states[state]}
              </p>
            </div>
            <p>{formatDollars(valueUSD)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
