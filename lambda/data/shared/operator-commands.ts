// SQL of the commands of operators and their outcomes. Rows are only added; triggers refuse all other changes.
import { all } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export interface AskedCommand {
  readonly id: string;
  readonly operator: string;
  readonly via: string;
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  readonly reason: string | null;
  readonly dryRun: boolean;
}

export type OutcomeKind = 'done' | 'dry_run' | 'refused' | 'failed';

export interface KeptCommand {
  readonly at: Date;
  readonly operator: string;
  readonly words: readonly string[];
  readonly reason: string | null;
  /** Null: it did not end, and changed nothing. */
  readonly outcome: OutcomeKind | null;
  readonly says: string | null;
}

export function operatorCommands(db: Queryable) {
  return {
    /** Stores a command before it runs. @returns false if a command with this id is stored */
    keep: async (command: AskedCommand) => {
      const { rowCount } = await db.query(
        `insert into operator_commands (id, operator, via, words, options, reason, dry_run)
         values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing`,
        [
          command.id,
          command.operator,
          command.via,
          command.words,
          JSON.stringify(command.options),
          command.reason,
          command.dryRun,
        ],
      );
      return rowCount === 1;
    },

    /** Stores the outcome of a command, in the transaction of its changes. */
    end: (commandID: string, outcome: OutcomeKind, says: string, subjects: readonly string[]) =>
      db.query('insert into operator_outcomes (command_id, outcome, says, subjects) values ($1, $2, $3, $4)', [
        commandID,
        outcome,
        says,
        subjects,
      ]),

    /** Stores the outcome of a command, unless it has one. */
    endUnlessEnded: (commandID: string, outcome: OutcomeKind, says: string) =>
      db.query(`insert into operator_outcomes (command_id, outcome, says) values ($1, $2, $3) on conflict do nothing`, [
        commandID,
        outcome,
        says,
      ]),

    /**
     * The last commands, the newest first.
     * @param subject the id of a user, content or stream that the commands are about; null: any
     * @param exceptID the id of a command to leave out
     */
    last: (count: number, subject: string | null, exceptID: string | null = null) =>
      all<KeptCommand>(
        db,
        `select c.at, c.operator, c.words, c.reason, o.outcome, o.says
         from operator_commands c left join operator_outcomes o on o.command_id = c.id
         where ($2::text is null or o.subjects @> array[$2::text]) and c.id is distinct from $3
         order by c.seq desc limit $1`,
        [count, subject, exceptID],
      ),
  };
}
