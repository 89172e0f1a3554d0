// What agents and workers need around them: those of a stage have its stacks, those of other apps have what they give.
import type { Stack } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { addressVariables, databaseVariables, queueVariables } from '../../lambda/ports/aws/environment.ts';
import type { SettingVariable } from '../../lambda/settings.ts';

/** Where tasks and their machines are: `NetworkStack` is one. */
export interface TaskNetwork {
  /** With public subnets, as what is sent to destinations should pass no NAT gateway. */
  readonly vpc: IVpc;
  /** Of tasks and machines that send streams. It lets its members reach each other at TCP 9750. */
  readonly publishers: ISecurityGroup;
  /** Whoever has it reaches the database. */
  readonly databaseClients: ISecurityGroup;
}

/**
 * `agent` sends streams and prepares media, `mediaWorker` prepares media, `importWorker` fetches uploads from links.
 * `lib/shared/platform-access.ts` has the rights that each of them has in a stage.
 */
export type TaskKind = 'agent' | 'mediaWorker' | 'importWorker';

export type TaskVariable =
  | (typeof addressVariables | typeof databaseVariables | typeof queueVariables)[number]
  | SettingVariable<'agent'>
  | SettingVariable<'importWorker'>
  | 'UPLOADS_BUCKET'
  | 'SEALING_KEY_ARN';

/** Lets tasks reach database, queues, objects and keys: `PlatformAccess` does, for those of its stage. */
export interface TaskAccess {
  /**
   * A value for each variable. None is secret; `QUEUE_URLS` is JSON, of the URLs by the names of the queues. For a
   * database of RDS without RDS Proxy add `NODE_EXTRA_CA_CERTS`: `/agent/rds.pem`, which the image has.
   */
  environmentFor(stack: Stack, kind: TaskKind): Readonly<Record<TaskVariable, string>>;
  /** Gives the role of a task its rights. Those on its own queues and on its own protection it gets from `Agents`. */
  grantTo(role: IRole, kind: TaskKind): void;
}
