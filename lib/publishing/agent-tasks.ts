// Common settings of all tasks of the publisher's image: health, deployment, and a hardened container.
// Decision D92.
import { Duration } from 'aws-cdk-lib';
import { type CfnTaskDefinition, PropagatedTagSource, type TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { agentHealthPort } from '../../lambda/publisher/environment.ts';
import type { StageSettings } from '../stage-settings.ts';

/** Time in which an agent hands over its streams, one connection after the other. Fargate allows no more. */
export const stopTimeout = Duration.minutes(2);
/** Checks whether the event loop of the process still runs. */
export const healthCheck = {
  command: ['CMD', 'node', '--eval', `fetch('http://127.0.0.1:${agentHealthPort}').catch(() => process.exit(1))`],
  interval: Duration.seconds(30),
  timeout: Duration.seconds(10),
  retries: 4,
  startPeriod: Duration.minutes(2),
};
/** At a deployment, new tasks start before old ones end. A release whose tasks do not start is rolled back. */
export function serviceOptions({ ecsExec }: Pick<StageSettings, 'ecsExec'>) {
  return {
    minHealthyPercent: 100,
    maxHealthyPercent: 200,
    circuitBreaker: { rollback: true },
    enableECSManagedTags: true,
    propagateTags: PropagatedTagSource.SERVICE,
    ...(ecsExec && { enableExecuteCommand: true }),
  } as const;
}

/** Sets properties for which the CDK's pattern has no options. The pattern's container is the only one of its task. */
export function hardenPatternContainer(
  taskDefinition: TaskDefinition,
  { ecsExec }: Pick<StageSettings, 'ecsExec'>,
): void {
  const resource = taskDefinition.node.defaultChild as CfnTaskDefinition;
  // ECS Exec adds its agent to the container, and leaves processes there whose exit has to be awaited.
  resource.addPropertyOverride('ContainerDefinitions.0.ReadonlyRootFilesystem', !ecsExec);
  if (ecsExec) resource.addPropertyOverride('ContainerDefinitions.0.LinuxParameters.InitProcessEnabled', true);
  resource.addPropertyOverride('ContainerDefinitions.0.StopTimeout', stopTimeout.toSeconds());
}
