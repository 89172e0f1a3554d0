// Runs operators' commands on the database of a test, as the local run and the function do.
import { randomBytes } from 'node:crypto';
import { carryOut } from '../../lambda/operate/carry-out.ts';
import type { Operator, Reply } from '../../lambda/operate/carry-out.ts';
import type { OperatorRequest } from '../../lambda/operate/read-request.ts';
import { createPostgresDeadLetters } from '../../lambda/ports/dead-letters/postgres-dead-letters.ts';
import type { WithPool } from './database.ts';

export const ada: Operator = { name: 'arn:aws:iam::123456789012:user/ada', via: 'a test' };

export function requestOf(words: readonly string[], more: Partial<OperatorRequest> = {}): OperatorRequest {
  const id = `op_${randomBytes(16).toString('hex')}`;
  return { id, words: [...words], options: {}, reason: 'they asked for it', dryRun: false, ...more };
}

/** @returns a function that runs a command, each word an argument */
export function operatorOn(service: WithPool) {
  const options = () => ({
    pool: service.pool(),
    deadLetters: createPostgresDeadLetters(service.pool()),
    clock: () => new Date(),
    log: () => {},
  });
  return {
    operate: (...words: string[]): Promise<Reply> => carryOut(options(), requestOf(words), ada),
    operateDry: (...words: string[]): Promise<Reply> => carryOut(options(), requestOf(words, { dryRun: true }), ada),
    ask: (request: OperatorRequest, operator = ada): Promise<Reply> => carryOut(options(), request, operator),
  };
}
