// A state machine that events start: no caller waits for an execution.
import type { Duration } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { DefinitionBody, type IChainable, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { acknowledge } from '../shared/acknowledge.ts';

export interface UnattendedMachineProps {
  readonly comment: string;
  readonly steps: IChainable;
  /** The time limit of an execution. */
  readonly timeout: Duration;
  /** @default a new role with the rights that the steps need */
  readonly role?: IRole;
}

/** Adds the machine to a construct, which can have one. */
export function unattendedMachine(scope: Construct, { steps, ...props }: UnattendedMachineProps): StateMachine {
  const machine = new StateMachine(scope, 'Machine', {
    ...props,
    definitionBody: DefinitionBody.fromChainable(steps),
  });
  acknowledge(
    machine,
    'Step Functions keeps the history of each execution for 90 days, and nobody waits for it.',
    'AwsSolutions-SF1',
    'AwsSolutions-SF2',
  );
  return machine;
}
