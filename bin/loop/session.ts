// A run of a command: the platform that it talks to, the terminal, and the options that many commands have.
import type { Client } from './client.ts';
import type { Printer } from './terminal.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Session {
  readonly client: Client;
  readonly printer: Printer;
  readonly environment: Environment;
  /** The folder of the uploads under way. */
  readonly uploadsFolder: string;
  /** Longest wait for the examination of each file, and for each later state. */
  readonly timeoutSeconds: number;
}
