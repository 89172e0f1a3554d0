// All commands of operators, in the order of the help.
import { disableUser, enableUser, holdUser, releaseUser } from './commands/account-rest.ts';
import { blockContent, showContent, unblockContent } from './commands/contents.ts';
import { grantCredits, takeCredits } from './commands/credits.ts';
import { listDeadLetters, requeueDeadLetters } from './commands/dead-letters.ts';
import { setFeature, setLimit } from './commands/features.ts';
import { showRecord } from './commands/record.ts';
import { findUser, showUser } from './commands/users.ts';
import type { OperatorCommand } from './command.ts';

export const operatorCommands: readonly OperatorCommand[] = [
  findUser,
  showUser,
  disableUser,
  enableUser,
  holdUser,
  releaseUser,
  setFeature,
  setLimit,
  grantCredits,
  takeCredits,
  showContent,
  blockContent,
  unblockContent,
  listDeadLetters,
  requeueDeadLetters,
  showRecord,
];
