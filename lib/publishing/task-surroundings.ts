// The resources that agents and workers need: a stage has its stacks, other apps bring their own.
import type { Stack } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { addressVariables, databaseVariables, queueVariables } from '../../lambda/ports/aws/environment.ts';
import type { SettingVariable } from '../../lambda/settings.ts';

/** The network of tasks and their machines, such as `NetworkStack`. */
export interface TaskNetwork {
  /** A VPC with public subnets, so that media to destinations needs no NAT gateway. */
  readonly vpc: IVpc;
  /** The group of tasks and machines that send streams. Its members may reach each other at TCP 9750. */
  readonly publishers: ISecurityGroup;
  /** The group whose members can reach the database. */
  readonly databaseClients: ISecurityGroup;
}

/**
 * `agent` sends streams and prepares media, `mediaWorker` prepares media, `importWorker` imports uploads from links,
 * `liveIngest` receives contributors.
 * Their rights in a stage are in `lib/shared/platform-access.ts`.
 */
export type TaskKind = 'agent' | 'mediaWorker' | 'importWorker' | 'liveIngest';

/** An environment variable of tasks. */
export type TaskVariable =
  | (typeof addressVariables | typeof databaseVariables | typeof queueVariables)[number]
  | SettingVariable<'agent'>
  | SettingVariable<'importWorker'>
  | 'UPLOADS_BUCKET'
  | 'SEALING_KEY_ARN';

/** Gives tasks access to database, queues, objects and keys. `PlatformAccess` implements it for a stage. */
export interface TaskAccess {
  /**
   * A value for each variable. None is secret. `QUEUE_URLS` is JSON: the URLs by the names of the queues. For an RDS
   * database without RDS Proxy, add `NODE_EXTRA_CA_CERTS`: `/agent/rds.pem`, a file of the image.
   */
  environmentFor(stack: Stack, kind: TaskKind): Readonly<Record<TaskVariable, string>>;
  /** Grants the role of a task its rights, apart from those on its queues and its protection, which `Agents` grants. */
  grantTo(role: IRole, kind: TaskKind): void;
}
