// The metrics as data: names, units and kinds by OpenTelemetry's semantic conventions, and ours below `loop`.
// Attributes have few values: never a name, an id or an address of a user.

export interface Instrument {
  readonly name: string;
  /** `counter`: only grows. `sum`: grows and shrinks. */
  readonly kind: 'counter' | 'sum' | 'gauge' | 'histogram';
  /** In UCUM notation; counted things are in braces. */
  readonly unit: string;
  readonly description: string;
}

const define = <Names extends string>(of: Readonly<Record<Names, Omit<Instrument, 'name'>>>) => of;

const instrumentsByName = define({
  'http.server.request.duration': { kind: 'histogram', unit: 's', description: 'Duration of requests.' },
  'messaging.process.duration': { kind: 'histogram', unit: 's', description: 'Duration of commands.' },
  'db.client.connection.count': { kind: 'sum', unit: '{connection}', description: 'Connections to Postgres.' },
  'db.client.connection.pending_requests': {
    kind: 'sum',
    unit: '{request}',
    description: 'Requests for a connection.',
  },
  'process.cpu.time': { kind: 'counter', unit: 's', description: 'CPU time, without child processes.' },
  'process.memory.usage': { kind: 'sum', unit: 'By', description: 'Resident memory.' },
  'process.uptime': { kind: 'gauge', unit: 's', description: 'Time since the start.' },
  'nodejs.eventloop.utilization': { kind: 'gauge', unit: '1', description: 'Share of busy time.' },
  'nodejs.eventloop.delay.p99': { kind: 'gauge', unit: 's', description: 'Delay of timers, p99.' },
  'nodejs.eventloop.delay.max': { kind: 'gauge', unit: 's', description: 'Longest delay of a timer.' },
  'loop.agent.replicas': { kind: 'sum', unit: '{replica}', description: 'Replicas held by the agent.' },
  'loop.agent.utilization': { kind: 'gauge', unit: '1', description: 'Share of the capacity in use.' },
  'loop.agent.behind': { kind: 'gauge', unit: '1', description: '1 while the agent is behind.' },
  'loop.agent.lease.renewal.duration': { kind: 'histogram', unit: 's', description: 'Duration of renewals.' },
  'loop.replica.start.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Time from the first claim of a replica to the first picture that its destination accepted.',
  },
  'loop.replica.frames': { kind: 'counter', unit: '{frame}', description: 'Pictures sent.' },
  'loop.replica.frames.dropped': { kind: 'counter', unit: '{frame}', description: 'Pictures skipped.' },
  'loop.replica.io': { kind: 'counter', unit: 'By', description: 'Bytes of media sent.' },
  'loop.replica.connections': { kind: 'counter', unit: '{connection}', description: 'Connections to destinations.' },
  'loop.telemetry.spans.dropped': { kind: 'counter', unit: '{span}', description: 'Spans dropped.' },
});

export type InstrumentName = keyof typeof instrumentsByName;

export const instruments: readonly (Instrument & { readonly name: InstrumentName })[] = Object.entries(
  instrumentsByName,
).map(([name, rest]) => ({ name: name as InstrumentName, ...rest }));

/** Bounds of histograms, in seconds: those that the conventions advise for requests, and two for starts of streams. */
export const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60];
