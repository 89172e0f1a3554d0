// What a stage may do without while nobody streams: the settings that decide it, and what each takes away.
import type { StageSettings } from '../stage-settings.ts';

export interface IdleOption {
  /** What a stage pays for, or does without. */
  readonly what: string;
  readonly having: Partial<StageSettings>;
  readonly without: Partial<StageSettings>;
  /** What a stage lacks that does without. */
  readonly takesAway: string;
}

export const idleOptions: readonly IdleOption[] = [
  {
    what: 'A GPU machine that is ready (`gpuMachinesMin`, `ffmpegAgentsMin`)',
    having: { gpuMachinesMin: 1, ffmpegAgentsMin: 1 },
    without: { gpuMachinesMin: 0, ffmpegAgentsMin: 0 },
    takesAway:
      'A stream that is encoded at more than 1080p30, or beside others, waits about 6 minutes for a machine, and is ' +
      'told so. Smaller ones, and prepared media, are sent from Fargate at once',
  },
  {
    what: 'NAT by gateways (`nat`)',
    having: { nat: 'gateway' },
    without: { nat: 'instance' },
    takesAway:
      'While the machine is replaced, functions reach neither AWS nor webhooks and payment providers: the API is ' +
      'down, and streams go on',
  },
  {
    what: 'RDS Proxy (`databaseProxy`)',
    having: { databaseProxy: true },
    without: { databaseProxy: false },
    takesAway:
      'Connections are not shared: more requests at once than the database has connections fail, and a failover ends ' +
      'all connections',
  },
  {
    what: 'A standby of the database in a second zone (`databaseMultiAz`)',
    having: { databaseMultiAz: true },
    without: { databaseMultiAz: false },
    takesAway: 'With its zone the database is down, until it is restored by hand. Streams stay on air meanwhile',
  },
  {
    what: 'Container Insights (`containerInsights`)',
    having: { containerInsights: true },
    without: { containerInsights: false },
    takesAway: 'Figures of CPU and memory of each service. What agents carry and lack is kept all the same',
  },
  {
    what: 'A stream that is started every minute (`syntheticStream`)',
    having: { syntheticStream: true },
    without: { syntheticStream: false },
    takesAway: 'Nobody knows that no stream can be started, until somebody cannot',
  },
  {
    what: 'Traces in X-Ray (`tracing`)',
    having: { tracing: true },
    without: { tracing: false },
    takesAway: 'Which part of a slow request was slow. Paid by use: 5 a million traces',
  },
];

/** Whether a stage has what the option is about, as far as its settings say it in other words than the option's. */
export function has({ having, without }: IdleOption, settings: StageSettings): boolean {
  const fields = Object.keys(having) as (keyof StageSettings)[];
  return fields.every((field) => settings[field] !== without[field]);
}
