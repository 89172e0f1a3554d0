// What is measured, as data: names, units and kinds by OpenTelemetry's semantic conventions, and ours below `loop`.
// Attributes take few values: no name, id or address of a user is one.

export interface Instrument {
  readonly name: string;
  /** `counter`: only grows. `sum`: grows and shrinks. */
  readonly kind: 'counter' | 'sum' | 'gauge' | 'histogram';
  /** As UCUM writes it; what is counted stands in braces. */
  readonly unit: string;
  readonly description: string;
}

const define = <Names extends string>(of: Readonly<Record<Names, Omit<Instrument, 'name'>>>) => of;

const instrumentsByName = define({
  'http.server.request.duration': { kind: 'histogram', unit: 's', description: 'How long requests took.' },
  'messaging.process.duration': { kind: 'histogram', unit: 's', description: 'How long commands took.' },
  'db.client.connection.count': { kind: 'sum', unit: '{connection}', description: 'Connections to Postgres.' },
  'db.client.connection.pending_requests': { kind: 'sum', unit: '{request}', description: 'Who waits for one.' },
  'process.cpu.time': { kind: 'counter', unit: 's', description: 'Processor time, without that of its children.' },
  'process.memory.usage': { kind: 'sum', unit: 'By', description: 'Resident memory.' },
  'process.uptime': { kind: 'gauge', unit: 's', description: 'Since it began.' },
  'nodejs.eventloop.utilization': { kind: 'gauge', unit: '1', description: 'The part of the time that it works.' },
  'nodejs.eventloop.delay.p99': { kind: 'gauge', unit: 's', description: 'How late timers are.' },
  'nodejs.eventloop.delay.max': { kind: 'gauge', unit: 's', description: 'How late the latest timer was.' },
  'loop.agent.replicas': { kind: 'sum', unit: '{replica}', description: 'Replicas that the agent holds.' },
  'loop.agent.utilization': { kind: 'gauge', unit: '1', description: 'The part of its capacity that is taken.' },
  'loop.agent.behind': { kind: 'gauge', unit: '1', description: '1 while it does not keep up.' },
  'loop.agent.lease.renewal.duration': { kind: 'histogram', unit: 's', description: 'How long renewals took.' },
  'loop.replica.start.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'From the first claim of a replica to the first picture that its destination took.',
  },
  'loop.replica.frames': { kind: 'counter', unit: '{frame}', description: 'Pictures that were sent.' },
  'loop.replica.frames.dropped': { kind: 'counter', unit: '{frame}', description: 'Pictures that were left out.' },
  'loop.replica.io': { kind: 'counter', unit: 'By', description: 'Bytes of media that were sent.' },
  'loop.replica.connections': { kind: 'counter', unit: '{connection}', description: 'Connections to destinations.' },
  'loop.telemetry.spans.dropped': { kind: 'counter', unit: '{span}', description: 'Spans that nobody took.' },
});

export type InstrumentName = keyof typeof instrumentsByName;

export const instruments: readonly (Instrument & { readonly name: InstrumentName })[] = Object.entries(
  instrumentsByName,
).map(([name, rest]) => ({ name: name as InstrumentName, ...rest }));

/** The bounds of histograms, in seconds: those that the conventions advise for requests, and what a start may take. */
export const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60];
