// Calls that AWS' own services make for the stage, which our tests cannot observe: from their documentation.
import type { ConcreteResource, ConcreteTemplates } from '../support/concrete-templates.ts';
import { accountID } from '../support/concrete-templates.ts';
import type { AwsCall, SimulatedAccount } from '../support/iam.ts';

/** Services that assume a role, and the part of the role's policy that names them. */
export function callsOfServices(account: SimulatedAccount, templates: ConcreteTemplates): readonly AwsCall[] {
  return [
    ...schedulerCalls(templates),
    ...queuePolling(account, templates),
    ...proxyCalls(templates),
    ...edgeCalls(templates),
    ...operating(templates),
    ...driftCalls(templates),
    ...pauseCalls(templates, 'MailPause', 'UnconfirmedMails'),
    ...pauseCalls(templates, 'UnfundedMailPause', 'UnfundedMails'),
    ...syntheticCalls(account, templates),
  ];
}

/** EventBridge Scheduler user guide, "Setting up the execution role" and "Confused deputy prevention". */
function schedulerCalls(templates: ConcreteTemplates): readonly AwsCall[] {
  const role = the(templates, 'AWS::IAM::Role', /\/StreamTimersRole/);
  const group = the(templates, 'AWS::Scheduler::ScheduleGroup', /./);
  const queue = the(templates, 'AWS::SQS::Queue', /\/CommandsTimers(?!DeadLetters)/);
  const context = { 'aws:SourceAccount': accountID, 'aws:SourceArn': group.id };
  return [
    { caller: 'scheduler.amazonaws.com', action: 'sts:AssumeRole', resource: role.id, context },
    { caller: role.id, action: 'sqs:SendMessage', resource: queue.id },
  ];
}

/** Lambda developer guide, "Using Lambda with Amazon SQS": the poller calls with the role of the function. */
function queuePolling(account: SimulatedAccount, templates: ConcreteTemplates): readonly AwsCall[] {
  return templates.ofType('AWS::Lambda::EventSourceMapping').flatMap(({ properties }) => {
    const queue = templates.called(properties.EventSourceArn);
    const caller = account.roleOf(templates.called(properties.FunctionName).id);
    return ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'].map((action) => ({
      caller,
      action,
      resource: queue.id,
    }));
  });
}

/** RDS user guide, "Connecting to a database through RDS Proxy with IAM": the proxy signs in by its own role. */
function proxyCalls(templates: ConcreteTemplates): readonly AwsCall[] {
  const role = the(templates, 'AWS::IAM::Role', /^Database\/ProxyRole/);
  const instance = the(templates, 'AWS::RDS::DBInstance', /./);
  return [
    { caller: 'rds.amazonaws.com', action: 'sts:AssumeRole', resource: role.id },
    { caller: role.id, action: 'rds-db:connect', resource: `${instance.id}#service` },
  ];
}

/** CloudFront developer guide, "Set up IAM permissions and roles for Lambda@Edge": both assume the function's role. */
function edgeCalls(templates: ConcreteTemplates): readonly AwsCall[] {
  const role = the(templates, 'AWS::IAM::Role', /^Edge\/ChallengeRole/);
  return ['lambda.amazonaws.com', 'edgelambda.amazonaws.com'].map((caller) => ({
    caller,
    action: 'sts:AssumeRole',
    resource: role.id,
  }));
}

/** The calls of `npm run operate`: it assumes the operators' role, and invokes the function with it. */
function operating(templates: ConcreteTemplates): readonly AwsCall[] {
  const role = the(templates, 'AWS::IAM::Role', /^Operate\/Operator[0-9A-F]{8}$/);
  const operate = the(templates, 'AWS::Lambda::Function', /^Operate\/Operate[0-9A-F]{8}$/);
  return [{ caller: role.id, action: 'lambda:InvokeFunction', resource: operate.id }];
}

/**
 * Step Functions developer guide, "Creating an IAM role for your state machine"; CloudFormation user guide, "Detect
 * unmanaged configuration changes to stacks": the caller's role reads each resource.
 */
function driftCalls(templates: ConcreteTemplates): readonly AwsCall[] {
  const role = the(templates, 'AWS::IAM::Role', /^Monitoring\/DriftCheckReader/);
  const starter = the(templates, 'AWS::IAM::Role', /^Monitoring\/DriftCheckMachineEventsRole/);
  const machine = the(templates, 'AWS::StepFunctions::StateMachine', /\/DriftCheck/);
  const context = { 'aws:SourceAccount': accountID };
  const stack = `arn:aws:cloudformation:us-east-1:${accountID}:stack/emulated-Network/1`;
  return [
    { caller: 'events.amazonaws.com', action: 'sts:AssumeRole', resource: starter.id },
    { caller: starter.id, action: 'states:StartExecution', resource: machine.id },
    { caller: 'states.amazonaws.com', action: 'sts:AssumeRole', resource: role.id, context },
    { caller: role.id, action: 'cloudformation:DetectStackDrift', resource: stack },
    { caller: role.id, action: 'cloudformation:DetectStackResourceDrift', resource: stack },
    { caller: role.id, action: 'cloudformation:DescribeStackDriftDetectionStatus', resource: '*' },
  ];
}

/** EventBridge starts a machine when its alarm changes, and the machine calls SES. */
function pauseCalls(templates: ConcreteTemplates, pause: string, mails: string): readonly AwsCall[] {
  const role = the(templates, 'AWS::IAM::Role', new RegExp(`^Monitoring/${pause}MachineRole`));
  const starter = the(templates, 'AWS::IAM::Role', new RegExp(`^Monitoring/${pause}MachineEventsRole`));
  const machine = the(templates, 'AWS::StepFunctions::StateMachine', new RegExp(`/${pause}`));
  const context = { 'aws:SourceAccount': accountID, 'aws:SourceArn': machine.arn };
  const set = the(templates, 'AWS::SES::ConfigurationSet', new RegExp(`/${mails}`));
  return [
    { caller: 'events.amazonaws.com', action: 'sts:AssumeRole', resource: starter.id },
    { caller: starter.id, action: 'states:StartExecution', resource: machine.id },
    { caller: 'states.amazonaws.com', action: 'sts:AssumeRole', resource: role.id, context },
    { caller: role.id, action: 'ses:PutConfigurationSetSendingOptions', resource: set.id },
  ];
}

/** The synthetic function lists the arrived objects. Agents sign nothing, and are anonymous to the bucket. */
function syntheticCalls(account: SimulatedAccount, templates: ConcreteTemplates): readonly AwsCall[] {
  const caller = account.roleOf(the(templates, 'AWS::Lambda::Function', /^Monitoring\/SyntheticStreamSynthetic/).id);
  const ingest = the(templates, 'AWS::S3::Bucket', /^Monitoring\/SyntheticStreamIngest/);
  return [{ caller, action: 's3:ListBucket', resource: ingest.id }];
}

function the(templates: ConcreteTemplates, type: string, id: RegExp): ConcreteResource {
  const found = templates.ofType(type).filter((resource) => id.test(resource.id));
  if (found.length !== 1) throw new Error(`${found.length} of ${type} are called ${id}`);
  return found[0]!;
}
