// The count of a new service of agents: none, if machines start only for streams. ECS itself starts one.
// Decision D185.
import { setTimeout as delay } from 'node:timers/promises';
import { type AwsPlace, callAws } from '../ports/aws/call-aws.ts';

export interface NewAgents {
  readonly cluster: string;
  /** The family of the service's task definition. It has no other service. */
  readonly family: string;
}

/** `none`: the new service has no agents now. `standing`: an older one keeps its agents. `absent`: there is none. */
export type FirstCount = 'none' | 'standing' | 'absent';

interface Service {
  readonly serviceArn: string;
  readonly taskDefinition: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
}

/** Milliseconds after its creation during which a service is new: CloudFormation still waits for its first agent. */
const newMs = 15 * 60_000;
/** Milliseconds for which the service is awaited. CloudFormation creates it right after it has called this function. */
const awaitedMs = 14 * 60_000;
const pauseMs = 1000;

/**
 * Waits for the service to be created, and sets the count that it starts with to zero. CloudFormation's wait for the
 * first agent ends with that. A service that stands keeps its agents.
 */
export async function startWithNone({ cluster, family }: NewAgents, place: AwsPlace): Promise<FirstCount> {
  const untilMs = Date.now() + awaitedMs;
  for (;;) {
    const service = (await servicesOf(cluster, place)).find(({ taskDefinition }) =>
      taskDefinition.includes(`:task-definition/${family}:`),
    );
    if (service) {
      if (Date.now() - service.createdAt * 1000 > newMs) return 'standing';
      await callAws('ecs', 'UpdateService', { cluster, service: service.serviceArn, desiredCount: 0 }, place);
      return 'none';
    }
    if (Date.now() > untilMs) return 'absent';
    await delay(pauseMs);
  }
}

async function servicesOf(cluster: string, place: AwsPlace): Promise<readonly Service[]> {
  const { serviceArns } = await callAws<{ serviceArns: string[] }>('ecs', 'ListServices', { cluster }, place);
  // ECS refuses to describe no services.
  if (serviceArns.length === 0) return [];
  const { services } = await callAws<{ services: Service[] }>(
    'ecs',
    'DescribeServices',
    { cluster, services: serviceArns },
    place,
  );
  return services;
}
