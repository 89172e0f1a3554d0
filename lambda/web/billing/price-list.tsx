// The prices of live time and of storage.
import type { ReactNode } from 'react';
import { formatNumber, formatShare } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import type { Prices } from '../app/types.ts';
import { DataTable } from '../kit/data-table.tsx';
import { qualityWords } from '../streams/format-words.ts';
import { billingWords } from '#words/billing.ts';

const path = '/prices';

export function PriceList(): ReactNode {
  const { quality, upTo30, at60 } = billingWords.prices;
  return (
    <section aria-labelledby="prices">
      <h2 id="prices">{billingWords.prices.title}</h2>
      <Loaded live={useLive<Prices>(path)} path={path}>
        {({ creditsPerHour, furtherShare, backupShare, creditsPerGiBMonth }) => (
          <>
            <DataTable name={billingWords.prices.title} columns={[quality, upTo30, at60]} numbers={[upTo30, at60]}>
              {creditsPerHour.map((price) => (
                <tr key={price.quality}>
                  <th scope="row">{qualityWords(price.quality)}</th>
                  <td className="number">{formatNumber(price.upTo30)}</td>
                  <td className="number">{formatNumber(price.at60)}</td>
                </tr>
              ))}
            </DataTable>
            <p className="hint">
              {billingWords.prices.more(
                formatShare(furtherShare),
                formatShare(backupShare),
                formatNumber(creditsPerGiBMonth),
              )}
            </p>
          </>
        )}
      </Loaded>
    </section>
  );
}
