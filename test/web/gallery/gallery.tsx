// The gallery: each control and state of the page on one sheet, for people to look at and for a test to compare.
// It is no part of the product.
import { Inbox, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { OutputBadge, StreamBadge } from '../../../lambda/web/app/state-badge.tsx';
import { Failure, Field, Form, NumberField } from '../../../lambda/web/form.tsx';
import { Chart } from '../../../lambda/web/kit/chart.tsx';
import { Choice } from '../../../lambda/web/kit/choice.tsx';
import { DataTable } from '../../../lambda/web/kit/data-table.tsx';
import { Empty } from '../../../lambda/web/kit/empty.tsx';
import { Numbers } from '../../../lambda/web/kit/numbers.tsx';
import { Parts } from '../../../lambda/web/kit/parts.tsx';
import { Still } from '../../../lambda/web/streams/still.tsx';

const nothing = async (): Promise<void> => {};
const states = ['draft', 'scheduled', 'preparing', 'activating', 'active', 'failing', 'failed', 'stopped'] as const;
const hours = Array.from({ length: 48 }, (_, index) => 1_800_000_000 + 3600 * index);

const tiles: Readonly<Record<string, ReactNode>> = {
  buttons: (
    <p className="buttons start">
      <button type="button" className="primary">
        <Plus aria-hidden />
        Go live
      </button>
      <button type="button">Edit</button>
      <button type="button" className="grave">
        Delete
      </button>
      <button type="button" className="grave solid">
        Delete it
      </button>
      <button type="button" className="ghost">
        Quiet
      </button>
      <button type="button" disabled>
        Not now
      </button>
      <button type="button" className="icon" aria-label="Add">
        <Plus aria-hidden />
      </button>
    </p>
  ),
  states: (
    <p className="buttons start">
      {states.map((state) => (
        <StreamBadge key={state} state={state} preparedShare={state === 'preparing' ? 0.4 : null} />
      ))}
      <OutputBadge state="connecting" />
      <OutputBadge state="live" />
    </p>
  ),
  fields: (
    <Form action="Save" onSubmit={nothing} className="in-row">
      <Field name="name" label="Name" defaultValue="Night radio" />
      <Field name="key" label="Stream key" type="password" defaultValue="secret" hint="It is never shown again." />
      <Field name="url" label="Address" defaultValue="rtmp:" fault="Enter a whole address." />
      <NumberField name="hours" label="Hours" value={3} onChange={() => {}} />
      <Choice name="order" label="Order" options={[['shuffle', 'Shuffled in each lap']]} />
      <Choice name="zone" label="Time zone" fault="Choose a zone." options={[['', 'None']]} />
    </Form>
  ),
  messages: (
    <>
      <Failure error="The destination refuses the stream key." />
      <p className="notice">Two things that viewers may notice.</p>
      <p className="hint">Times are in your time zone.</p>
      <p className="fault">Enter a number of items.</p>
    </>
  ),
  numbers: (
    <Numbers
      numbers={[
        { name: 'On the air', value: '2 of 5 streams' },
        { name: 'Credits left', value: '99,927', remark: '50 an hour now' },
        { name: 'Next start', value: 'in 26 hours', remark: 'Forest Mornings' },
      ]}
    />
  ),
  parts: (
    <Parts
      label="Parts"
      parts={[
        [location.pathname, 'On air'],
        ['/outputs', 'Outputs'],
        ['/log', 'Log'],
      ]}
    />
  ),
  empty: (
    <Empty icon={<Inbox aria-hidden />} title="Watch a folder" text="Files that appear in it are imported.">
      <button type="button" className="primary">
        Watch a source
      </button>
    </Empty>
  ),
  table: (
    <DataTable name="Use" columns={['Stream', 'Credits']} numbers={['Credits']}>
      <tr>
        <th scope="row">Night radio</th>
        <td className="number">37.7</td>
      </tr>
      <tr>
        <th scope="row">Rain</th>
        <td className="number">1,204.5</td>
      </tr>
    </DataTable>
  ),
  line: (
    <Sample
      shape="line"
      values={hours.map((_, index) => (index > 20 && index < 26 ? null : 4 + Math.sin(index / 4)))}
    />
  ),
  bars: <Sample shape="bars" values={hours.map((_, index) => (index * 7) % 11)} />,
  rows: (
    <ul className="rows">
      {['Night radio', 'Rain channel'].map((name) => (
        <li key={name}>
          <Still stream={{ posterURL: null, state: 'active', preparedShare: null }} isSmall />
          <div>
            <a className="title" href="#row">
              {name}
            </a>
            <p className="hint">to Twitch</p>
          </div>
          <p className="state">
            <span className="hint time">1:29:01</span>
            <StreamBadge state="active" preparedShare={null} />
          </p>
        </li>
      ))}
    </ul>
  ),
  still: <Still stream={{ posterURL: null, state: 'failing', preparedShare: null }} />,
};

function Sample({ shape, values }: { readonly shape: 'line' | 'bars'; readonly values: readonly (number | null)[] }) {
  return (
    <Chart
      name="Bitrate"
      label="Bitrate"
      times={hours}
      values={values}
      format={String}
      formatTime={String}
      summary="up to 5 Mbit/s"
      shape={shape}
    />
  );
}

createRoot(document.getElementById('page')!).render(
  <main className="gallery">
    {Object.entries(tiles).map(([name, tile]) => (
      <section key={name} data-tile={name} aria-label={name}>
        {tile}
      </section>
    ))}
  </main>,
);
