// Deliberate faults between two templates: changes of the committed templates that CloudFormation refuses or that lose.
import type { StageTemplates } from '../../bin/deploy/template-changes/stage-templates.ts';

/** Templates as mutations change them. */
export type Templates = Map<string, any>;

export interface PairMutation {
  /** Stack and logical id, with the fault. */
  readonly fault: string;
  /** Changes the templates that are deployed; the stage stands as it was. */
  readonly applyTo: (templates: Templates) => void;
}

type Kind = (templates: StageTemplates) => readonly PairMutation[];

function resourcesOf(templates: StageTemplates, type: string): readonly (readonly [stack: string, id: string])[] {
  return [...templates].flatMap(([stack, { Resources }]) =>
    Object.entries(Resources).flatMap(([id, { Type }]) => (Type === type ? [[stack, id] as const] : [])),
  );
}

/** Sets a property of every resource of a type that has another value, one at a time. A path has dots. */
function setting(type: string, path: string, value: unknown): Kind {
  const names = path.split('.');
  const last = names.at(-1)!;
  const holderIn = (resource: unknown) => names.slice(0, -1).reduce((part: any, name) => part[name], resource);
  return (templates) =>
    resourcesOf(templates, type)
      .filter(([stack, id]) => holderIn(templates.get(stack)!.Resources[id])[last] !== value)
      .map(([stack, id]) => ({
        fault: `${path} of ${stack}/${id} becomes ${JSON.stringify(value)}`,
        applyTo: (changed) => (holderIn(changed.get(stack).Resources[id])[last] = value),
      }));
}

/** Gives every resource of a type another logical id, in its template. */
function renaming(type: string): Kind {
  return (templates) =>
    resourcesOf(templates, type).map(([stack, id]) => ({
      fault: `${stack}/${id} gets another logical id`,
      applyTo: (changed) => {
        const text = JSON.stringify(changed.get(stack)).replaceAll(`"${id}"`, `"${id}Anew"`);
        changed.set(stack, JSON.parse(text));
      },
    }));
}

function removing(type: string): Kind {
  return (templates) =>
    resourcesOf(templates, type).map(([stack, id]) => ({
      fault: `${stack}/${id} goes`,
      applyTo: (changed) => delete changed.get(stack).Resources[id],
    }));
}

/** Moves every resource of a type into another stack, under its name. */
function moving(type: string, to: string): Kind {
  return (templates) =>
    resourcesOf(templates, type).map(([stack, id]) => ({
      fault: `${stack}/${id} moves to ${to}`,
      applyTo: (changed) => {
        const { Type, Properties } = changed.get(stack).Resources[id];
        changed.get(to).Resources[`${id}Moved`] = { Type, Properties: { Name: Properties.Name } };
        delete changed.get(stack).Resources[id];
      },
    }));
}

/** Changes every export, by its output. */
function exporting(what: string, change: (outputs: any, output: string) => void): Kind {
  return (templates) =>
    [...templates].flatMap(([stack, { Outputs = {} }]) =>
      Object.entries(Outputs).flatMap(([output, { Export }]) =>
        Export === undefined
          ? []
          : [
              {
                fault: `${stack}/${output} ${what}`,
                applyTo: (changed: Templates) => change(changed.get(stack).Outputs, output),
              },
            ],
      ),
    );
}

/** Faults by their kind. Each is one by the documentation of CloudFormation or of the service. */
export const pairMutations: Readonly<Record<string, Kind>> = {
  'an export goes': exporting('goes', (outputs, output) => delete outputs[output]),
  'an export changes': exporting('changes', (outputs, output) => (outputs[output].Value = 'another')),
  'an export gets another name': exporting('is renamed', (outputs, output) => (outputs[output].Export.Name += 'Anew')),
  'a stack goes that others import from': (templates) =>
    ['Network', 'Media']
      .filter((stack) => templates.has(stack))
      .map((stack) => ({
        fault: `${stack} loses all its exports`,
        applyTo: (changed) => (changed.get(stack).Outputs = {}),
      })),
  'an import of nothing': (templates) =>
    [...templates.keys()].map((stack) => ({
      fault: `${stack} imports what is not exported`,
      applyTo: (changed) =>
        (changed.get(stack).Outputs = {
          ...changed.get(stack).Outputs,
          New: { Value: { 'Fn::ImportValue': 'prod-Network:None' } },
        }),
    })),
  'a read output is renamed': (templates) =>
    Object.keys(templates.get('Edge')?.Outputs ?? {}).map((output) => ({
      fault: `Edge/${output} is renamed`,
      applyTo: (changed) => {
        const { [output]: old, ...others } = changed.get('Edge').Outputs;
        changed.get('Edge').Outputs = { ...others, [`${output}Anew`]: old };
      },
    })),
  'a bucket gets another id': renaming('AWS::S3::Bucket'),
  'a key gets another id': renaming('AWS::KMS::Key'),
  'a secret goes': removing('AWS::SecretsManager::Secret'),
  'a database gets another id': renaming('AWS::RDS::DBInstance'),
  'a database is made again': setting('AWS::RDS::DBInstance', 'Properties.MasterUsername', 'another'),
  'a database has another port': setting('AWS::RDS::DBInstance', 'Properties.Port', '5433'),
  'a database becomes another engine': setting('AWS::RDS::DBInstance', 'Properties.Engine', 'mysql'),
  'a database shrinks': setting('AWS::RDS::DBInstance', 'Properties.AllocatedStorage', '20'),
  'a database is upgraded beside a migration': (templates) =>
    resourcesOf(templates, 'AWS::RDS::DBInstance').map(([stack, id]) => ({
      fault: `${stack}/${id} is upgraded, and ${stack}/Migrate changes`,
      applyTo: (changed) => {
        const { Resources } = changed.get(stack);
        Resources[id].Properties.EngineVersion = '99';
        Resources.Migrate.Properties.HandlerArn = { Ref: 'AnotherVersion' };
      },
    })),
  'a database is unprotected': setting('AWS::RDS::DBInstance', 'Properties.DeletionProtection', false),
  'a bucket is no longer kept': setting('AWS::S3::Bucket', 'DeletionPolicy', 'Delete'),
  'a bucket has a name': setting('AWS::S3::Bucket', 'Properties.BucketName', 'uploads'),
  'a subnet is in another zone': setting('AWS::EC2::Subnet', 'Properties.AvailabilityZone', 'us-east-1f'),
  'a subnet has other addresses': setting('AWS::EC2::Subnet', 'Properties.CidrBlock', '10.0.0.0/24'),
  'the network has other addresses': setting('AWS::EC2::VPC', 'Properties.CidrBlock', '10.1.0.0/16'),
  'a security group is described anew': setting('AWS::EC2::SecurityGroup', 'Properties.GroupDescription', 'Anew'),
  'a proxy has other subnets': setting('AWS::RDS::DBProxy', 'Properties.VpcSubnetIds', []),
  'a service moves': setting('AWS::ECS::Service', 'Properties.LaunchType', 'EXTERNAL'),
  'a resource changes its type': setting('AWS::SQS::Queue', 'Type', 'AWS::SNS::Topic'),
  'a custom resource has another function': setting('Custom::Trigger', 'Properties.ServiceToken', 'another'),
  'a parameter gets another id': renaming('AWS::SSM::Parameter'),
  'a parameter moves': moving('AWS::SSM::Parameter', 'Network'),
  'a group of schedules gets another id': renaming('AWS::Scheduler::ScheduleGroup'),
  'an alias gets another id': renaming('AWS::Lambda::Alias'),
  'a method gets another id': renaming('AWS::ApiGateway::Method'),
  'a queue becomes one of another kind': setting('AWS::SQS::Queue', 'Properties.FifoQueue', true),
  'a key becomes one of another kind': setting('AWS::KMS::Key', 'Properties.KeySpec', 'RSA_2048'),
};
