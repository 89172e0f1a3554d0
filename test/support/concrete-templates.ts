// The templates of stages as CloudFormation resolves them in one account: values in place of references.
import type { StackTemplate, SynthesizedStage } from './synth.ts';

export const accountID = '111111111111';

/** A resource of a stack with all references of its properties resolved. */
export interface ConcreteResource {
  /** STACK/LOGICAL-ID, the stack by its construct id. */
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly arn: string;
  readonly properties: any;
}

/** The parts of a template that are resolved. */
interface Template extends StackTemplate {
  readonly Parameters?: Readonly<Record<string, { readonly Default?: string }>>;
}

interface Place {
  readonly region: string;
  readonly name: string;
  readonly logicalID: string;
}

/**
 * ARNs by the types of resources, in the formats of the Service Authorization Reference. The logical id determines the
 * hexadecimal digits that AWS would choose.
 */
const arns: Readonly<Record<string, (place: Place) => string>> = {
  'AWS::CloudFront::Distribution': ({ name }) => `arn:aws:cloudfront::${accountID}:distribution/${name}`,
  'AWS::ECR::Repository': ({ region, name }) => `arn:aws:ecr:${region}:${accountID}:repository/${name}`,
  'AWS::ECS::Cluster': ({ region, name }) => `arn:aws:ecs:${region}:${accountID}:cluster/${name}`,
  'AWS::ECS::TaskDefinition': ({ region, name }) => `arn:aws:ecs:${region}:${accountID}:task-definition/${name}:1`,
  'AWS::Events::Rule': ({ region, name }) => `arn:aws:events:${region}:${accountID}:rule/${name}`,
  'AWS::IAM::ManagedPolicy': ({ name }) => `arn:aws:iam::${accountID}:policy/${name}`,
  'AWS::IAM::OIDCProvider': () => `arn:aws:iam::${accountID}:oidc-provider/token.actions.githubusercontent.com`,
  'AWS::IAM::Role': ({ name }) => `arn:aws:iam::${accountID}:role/${name}`,
  'AWS::KMS::Key': ({ region, logicalID }) => `arn:aws:kms:${region}:${accountID}:key/${logicalID}`,
  'AWS::Lambda::Function': ({ region, name }) => `arn:aws:lambda:${region}:${accountID}:function:${name}`,
  'AWS::Logs::LogGroup': ({ region, name }) => `arn:aws:logs:${region}:${accountID}:log-group:${name}:*`,
  'AWS::RDS::DBInstance': ({ region, name }) => `arn:aws:rds:${region}:${accountID}:db:${name}`,
  'AWS::RDS::DBProxy': ({ region, logicalID }) => `arn:aws:rds:${region}:${accountID}:db-proxy:prx-${logicalID}`,
  'AWS::S3::Bucket': ({ name }) => `arn:aws:s3:::${name.toLowerCase()}`,
  'AWS::SES::EmailIdentity': ({ region, name }) => `arn:aws:ses:${region}:${accountID}:identity/${name}`,
  'AWS::SES::ConfigurationSet': ({ region, name }) => `arn:aws:ses:${region}:${accountID}:configuration-set/${name}`,
  'AWS::SNS::Topic': ({ region, name }) => `arn:aws:sns:${region}:${accountID}:${name}`,
  'AWS::SQS::Queue': ({ region, name }) => `arn:aws:sqs:${region}:${accountID}:${name}`,
  'AWS::SSM::Parameter': ({ region, name }) =>
    `arn:aws:ssm:${region}:${accountID}:parameter/${name.replace(/^\//, '')}`,
  'AWS::Scheduler::ScheduleGroup': ({ region, name }) =>
    `arn:aws:scheduler:${region}:${accountID}:schedule-group/${name}`,
  'AWS::StepFunctions::StateMachine': ({ region, name }) =>
    `arn:aws:states:${region}:${accountID}:stateMachine:${name}`,
  'AWS::SecretsManager::Secret': ({ region, name }) =>
    `arn:aws:secretsmanager:${region}:${accountID}:secret:${name}-AbCdEf`,
};

/** Values of `Ref` that are not the name (CloudFormation template reference, "Return values" of each type). */
const referenceOf: Readonly<Record<string, (resource: ConcreteResource, region: string) => string>> = {
  'AWS::IAM::ManagedPolicy': ({ arn }) => arn,
  'AWS::ECS::TaskDefinition': ({ arn }) => arn,
  'AWS::S3::Bucket': ({ name }) => name.toLowerCase(),
  'AWS::SNS::Topic': ({ arn }) => arn,
  'AWS::SQS::Queue': ({ name }, region) => `https://sqs.${region}.amazonaws.com/${accountID}/${name}`,
  'AWS::StepFunctions::StateMachine': ({ arn }) => arn,
  'AWS::SecretsManager::Secret': ({ arn }) => arn,
};

/** Properties that name a resource, unless CloudFormation chooses the name. */
const nameProperties = ['RoleName', 'BucketName', 'FunctionName', 'QueueName', 'RepositoryName', 'EmailIdentity'];

export class ConcreteTemplates {
  readonly #stacks = new Map<string, { readonly id: string; readonly region: string; readonly template: Template }>();
  readonly #resources = new Map<string, ConcreteResource>();
  readonly #byType = new Map<string, readonly ConcreteResource[]>();

  /** @param stages with stacks of different names, in one account */
  constructor(...stages: readonly Pick<SynthesizedStage, 'stacks' | 'template'>[]) {
    for (const { stacks, template } of stages)
      for (const [id, stack] of stacks)
        this.#stacks.set(stack.stackName, {
          id,
          region: stack.region.startsWith('$') ? 'us-east-1' : stack.region,
          template: template(id),
        });
    // Names come first: all references to a resource need them.
    for (const [stackName, { template }] of this.#stacks)
      for (const logicalID of Object.keys(template.Resources)) this.#resourceIn(stackName, logicalID);
  }

  /** @returns all resources of a type, their references resolved */
  ofType(type: string): readonly ConcreteResource[] {
    const known = this.#byType.get(type);
    if (known) return known;
    const found = [...this.#stacks].flatMap(([stackName, { template }]) =>
      Object.entries(template.Resources)
        .filter(([, { Type }]) => Type === type)
        .map(([logicalID, { Properties }]) => ({
          ...this.#resourceIn(stackName, logicalID),
          properties: this.#resolve(Properties ?? {}, stackName),
        })),
    );
    this.#byType.set(type, found);
    return found;
  }

  /** @param id STACK/LOGICAL-ID @throws if there is none, or more than one */
  find(id: string): ConcreteResource {
    const found = [...this.#resources.values()].filter((resource) => resource.id === id);
    if (found.length !== 1) throw new Error(`${found.length} resources are called ${id}`);
    return found[0]!;
  }

  /** @param physical a name, an ARN or a value of `Ref` @throws if no resource is called so */
  called(physical: string): ConcreteResource {
    const region = 'us-east-1';
    const found = [...this.#resources.values()].find(
      (resource) =>
        resource.arn === physical ||
        resource.name === physical ||
        referenceOf[resource.type]?.(resource, region) === physical,
    );
    if (!found) throw new Error(`nothing is called ${physical}`);
    return found;
  }

  #resourceIn(stackName: string, logicalID: string): ConcreteResource {
    const key = `${stackName}/${logicalID}`;
    const known = this.#resources.get(key);
    if (known) return known;
    const { id, region, template } = this.#stacks.get(stackName)!;
    const resource = template.Resources[logicalID];
    if (!resource) throw new Error(`the stack ${stackName} has no resource ${logicalID}`);
    const { Type: type, Properties: given = {} } = resource;
    const named = nameProperties.find((property) => given[property] !== undefined) ?? 'Name';
    const name = given[named] === undefined ? `${stackName}-${logicalID}` : this.#text(given[named], stackName);
    const arn = arns[type]?.({ region, name, logicalID }) ?? `${type} ${key}`;
    const made = { id: `${id}/${logicalID}`, type, name, arn, properties: given };
    this.#resources.set(key, made);
    return made;
  }

  /** A value with every intrinsic function replaced by its result. @throws on a function that is unknown here */
  #resolve(value: unknown, stackName: string): unknown {
    if (Array.isArray(value))
      return value.map((item) => this.#resolve(item, stackName)).filter((item) => item !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value);
    const [key = ''] = Object.keys(value);
    if (members.length === 1 && (key === 'Ref' || key.startsWith('Fn::')))
      return this.#answer(key, members[0]![1], stackName);
    const entries = members.map(([name, item]) => [name, this.#resolve(item, stackName)] as const);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  }

  #answer(name: string, argument: any, stackName: string): unknown {
    const text = (value: unknown) => this.#text(value, stackName);
    switch (name) {
      case 'Ref':
        return this.#reference(argument, stackName);
      case 'Fn::GetAtt':
        return this.#attribute(argument, stackName);
      case 'Fn::Join':
        return (this.#resolve(argument[1], stackName) as string[]).join(argument[0]);
      case 'Fn::Split':
        return text(argument[1]).split(argument[0]);
      case 'Fn::Select':
        return (this.#resolve(argument[1], stackName) as unknown[])[Number(argument[0])];
      case 'Fn::Sub':
        return this.#substituted(argument, stackName);
      case 'Fn::GetStackOutput': {
        const producer = text(argument.StackName);
        const output = this.#stacks.get(producer)?.template.Outputs?.[argument.OutputName];
        if (!output) throw new Error(`the stack ${producer} has no output ${argument.OutputName}`);
        return this.#resolve(output.Value, producer);
      }
      case 'Fn::ImportValue':
        return this.#imported(text(argument));
      case 'Fn::GetAZs':
        return ['a', 'b', 'c'].map((letter) => `${this.#stacks.get(stackName)!.region}${letter}`);
      default:
        throw new Error(`the function ${name} is not known here`);
    }
  }

  #imported(exportName: string): unknown {
    for (const [producer, { template }] of this.#stacks) {
      const outputs = Object.values(template.Outputs ?? {});
      const output = outputs.find(({ Export }) => Export && this.#text(Export.Name, producer) === exportName);
      if (output) return this.#resolve(output.Value, producer);
    }
    throw new Error(`no stack exports ${exportName}`);
  }

  #reference(name: string, stackName: string): unknown {
    const { region, template } = this.#stacks.get(stackName)!;
    const pseudo: Readonly<Record<string, string>> = {
      'AWS::AccountId': accountID,
      'AWS::Partition': 'aws',
      'AWS::Region': region,
      'AWS::StackName': stackName,
      'AWS::StackId': `arn:aws:cloudformation:${region}:${accountID}:stack/${stackName}/1`,
      'AWS::URLSuffix': 'amazonaws.com',
    };
    if (name === 'AWS::NoValue') return undefined;
    if (pseudo[name] !== undefined) return pseudo[name];
    const parameter = template.Parameters?.[name];
    if (parameter) return parameter.Default ?? name;
    const resource = this.#resourceIn(stackName, name);
    return referenceOf[resource.type]?.(resource, region) ?? resource.name;
  }

  #attribute(argument: string | readonly string[], stackName: string): string {
    const [logicalID = '', ...path] = typeof argument === 'string' ? argument.split('.') : argument;
    const { region } = this.#stacks.get(stackName)!;
    const resource = this.#resourceIn(stackName, logicalID);
    const attribute = path.join('.');
    switch (attribute) {
      case 'Arn':
      case 'DBProxyArn':
        return resource.arn;
      case 'QueueName':
        return resource.name;
      case 'DbiResourceId':
        return `db-${logicalID}`;
      case 'MasterUserSecret.SecretArn':
        return `arn:aws:secretsmanager:${region}:${accountID}:secret:rds!db-${logicalID}-AbCdEf`;
      default:
        return `${resource.name}.${attribute}`;
    }
  }

  #substituted(argument: string | readonly [string, Readonly<Record<string, unknown>>], stackName: string): string {
    const [pattern, variables] = typeof argument === 'string' ? [argument, {}] : argument;
    return pattern.replaceAll(/\$\{([^!}][^}]*)\}/g, (_, name: string) => {
      if (name in variables) return this.#text(variables[name], stackName);
      return name.includes('.') ? this.#attribute(name, stackName) : String(this.#reference(name, stackName));
    });
  }

  #text(value: unknown, stackName: string): string {
    return String(this.#resolve(value, stackName));
  }
}
