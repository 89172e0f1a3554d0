// `npm run bench -- NAME`: measures against a peer or a bare baseline in the same run, and prints ratios.
import { apiBench } from './api.ts';
import { bundleBench } from './bundle.ts';
import { credentialsBench } from './credentials.ts';
import { creditsBench } from './credits.ts';
import { dueBench } from './due.ts';
import { fairnessBench } from './fairness.ts';
import { hourBench } from './hour.ts';
import { incidentsBench } from './incidents.ts';
import { joinsBench } from './joins.ts';
import { liveBench } from './live.ts';
import { looksBench } from './looks.ts';
import { newcomerBench } from './newcomer.ts';
import { orchestrationBench } from './orchestration.ts';
import { outputsBench } from './outputs.ts';
import { pageBench } from './page.ts';
import { platformBench } from './platform.ts';
import { previewsBench } from './previews.ts';
import { programmeBench } from './programme.ts';
import { publishersBench } from './publishers.ts';
import { quotaBench } from './quota.ts';
import { recoveryBench } from './recovery.ts';
import { seriesBench } from './series.ts';
import { startBench } from './start.ts';
import { takeoversBench } from './takeovers.ts';
import { telemetryBench } from './telemetry.ts';
import { worstBench } from './worst.ts';

const benches: Readonly<Record<string, () => Promise<void>>> = {
  api: apiBench,
  bundle: bundleBench,
  credentials: credentialsBench,
  credits: creditsBench,
  due: dueBench,
  fairness: fairnessBench,
  hour: hourBench,
  incidents: incidentsBench,
  joins: joinsBench,
  live: liveBench,
  looks: looksBench,
  newcomer: newcomerBench,
  orchestration: orchestrationBench,
  outputs: outputsBench,
  page: pageBench,
  platform: platformBench,
  previews: previewsBench,
  programme: programmeBench,
  publishers: publishersBench,
  quota: quotaBench,
  recovery: recoveryBench,
  series: seriesBench,
  start: startBench,
  takeovers: takeoversBench,
  telemetry: telemetryBench,
  worst: worstBench,
};

const name = process.argv[2] ?? '';
const bench = benches[name];
if (bench) await bench();
else {
  console.log(`npm run bench -- NAME, with one of: ${Object.keys(benches).join(', ')}`);
  process.exitCode = 2;
}
