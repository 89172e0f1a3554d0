// The rights of each kind of deployable on secrets, media and queues, and its variables.
// Each kind has its own, so that a process that reads strangers' media cannot read the secret that signs sessions.
import type { Stack } from 'aws-cdk-lib';
import type { IManagedPolicy, IRole } from 'aws-cdk-lib/aws-iam';
import { liveIngestRole } from '../../lambda/migrate/environment.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { type Settings, settingsAsVariables } from '../../lambda/settings.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { MediaStack } from '../media/media-stack.ts';
import type { CommandQueues } from '../publishing/command-queues.ts';
import type { StreamTimers } from '../publishing/stream-timers.ts';
import type { StageSettings } from '../stage-settings.ts';
import { coreEnvironment } from './core-access.ts';
import { authoritiesEnvironment } from './database-authorities.ts';
import { telemetryEnvironment } from './pick-variables.ts';
import type { PublicOrigin } from './public-origin.ts';

export interface PlatformAccessProps {
  readonly settings: StageSettings;
  readonly database: DatabaseStack;
  readonly media: MediaStack;
  readonly queues: CommandQueues;
  readonly timers: StreamTimers;
  readonly origin: PublicOrigin;
  /** Addresses for contributors of live inputs; null: the stage has no live ingest. */
  readonly liveAddresses: Settings['liveIngest'];
}

interface Rights {
  /** Queues that it sends commands to: its own commands, and those that another process left in the outbox. */
  readonly sends: readonly QueueName[];
  /** Opens and seals secrets, such as stream keys. */
  readonly unseals?: true;
  /** Opens and seals the credentials of sources. */
  readonly unsealsSources?: true;
  /** Signs cursors and sessions as the platform. */
  readonly signs?: true;
  /** Creates URLs for users. */
  readonly knowsOrigin?: true;
  readonly media?: 'takes in' | 'imports' | 'prepares' | 'reads' | 'contributes';
  readonly armsTimers?: true;
  /** Connects to the database as the role of the live ingest, in place of that of the service. */
  readonly contributes?: true;
}

/** The queues for starts and stops of streams. Only EventBridge Scheduler sends to `timers`. */
const streamQueues = ['publish-ffmpeg', 'publish-manifest', 'media', 'webhooks', 'platforms'] as const;

/** All of them may connect to the database. Those that read users' files have as few other rights as possible. */
const rightsOf = {
  api: {
    sends: [...streamQueues, 'imports'],
    unseals: true,
    unsealsSources: true,
    signs: true,
    knowsOrigin: true,
    media: 'takes in',
  },
  webhooks: { sends: [], unseals: true, knowsOrigin: true },
  platforms: { sends: [], unseals: true, knowsOrigin: true, media: 'reads' },
  timersJob: { sends: streamQueues },
  sweep: { sends: [...streamQueues, 'imports'], armsTimers: true },
  reconcile: { sends: [] },
  /** A client of the API like any other, except that it creates its own key. */
  synthetic: { sends: [], knowsOrigin: true },
  operate: { sends: [...streamQueues, 'imports'] },
  agent: { sends: streamQueues, unseals: true, media: 'prepares' },
  mediaWorker: { sends: streamQueues, media: 'prepares' },
  importWorker: { sends: ['imports', 'media', 'webhooks'], unsealsSources: true, media: 'imports' },
  /** Its commands wait in the outbox, which agents relay every second. */
  liveIngest: { sends: [], media: 'contributes', contributes: true },
} as const satisfies Readonly<Record<string, Rights>>;

export type DeployableKind = keyof typeof rightsOf;

/** The kinds that run in containers. All others are functions. */
const containers: ReadonlySet<DeployableKind> = new Set(['agent', 'mediaWorker', 'importWorker', 'liveIngest']);

/**
 * Created once in a stage. It provides the variables and rights of every function and task except the migration and the
 * identity function.
 */
export class PlatformAccess {
  readonly #props: PlatformAccessProps;

  constructor(props: PlatformAccessProps) {
    this.#props = props;
  }

  /**
   * The values of all variables that a function or task in `stack` may have; each takes those that it reads. None is
   * secret: functions and tasks read secrets by their ARN at start.
   */
  environmentFor(stack: Stack, kind: DeployableKind) {
    const { settings, database, media, queues, timers, liveAddresses } = this.#props;
    const { contributes }: Rights = rightsOf[kind];
    return {
      ...coreEnvironment(this.#props),
      ...(contributes && { DATABASE_USER: liveIngestRole }),
      ...authoritiesEnvironment(database.proxy !== null, containers.has(kind) ? 'container' : 'function'),
      UPLOADS_BUCKET: media.uploads.bucketName,
      // Imports and webhooks must reach neither the VPC nor the metadata service of a machine.
      ALLOW_PRIVATE_ADDRESSES: 'false',
      QUEUE_URLS: stack.toJsonString(queues.urlsOf(rightsOf[kind].sends)),
      TIMER_GROUP: timers.group.scheduleGroupName,
      TIMER_ROLE_ARN: timers.role.roleArn,
      TIMER_QUEUE_ARN: timers.queue.queueArn,
      ...settingsAsVariables({ ...settings, liveIngest: liveAddresses }),
      ...telemetryEnvironment(settings),
    };
  }

  /**
   * Grants a role the rights of its kind. The function or task also needs the security group `databaseClients` of the
   * network.
   */
  grantTo(role: IRole, kind: DeployableKind): void {
    const { database, media, queues, timers, origin } = this.#props;
    const {
      sends,
      unseals,
      unsealsSources,
      signs,
      knowsOrigin,
      media: use,
      armsTimers,
      contributes,
    }: Rights = rightsOf[kind];
    const policies: readonly (IManagedPolicy | undefined | null | false)[] = [
      contributes ? database.contributeAccess : database.connectAccess,
      unseals && database.unsealAccess,
      unsealsSources && database.unsealSourcesAccess,
      signs && database.signAccess,
      use &&
        {
          'takes in': media.takeInAccess,
          imports: media.importAccess,
          prepares: media.prepareAccess,
          reads: media.readAccess,
          contributes: media.contributeAccess,
        }[use],
      armsTimers && timers.armAccess,
    ];
    for (const policy of policies) if (policy) role.addManagedPolicy(policy);
    if (sends.length > 0) queues.grantSend(role, sends);
    if (knowsOrigin) origin.grantRead(role);
  }
}
