// Answers of AWS about an account, in the shapes of the documentation page that each one names.
import { type AccountFacts, defaultQuotas, machineZoneIds } from './account-facts.ts';

/** The request: the parameters of a form, the fields of a JSON body, or the last part of a path. */
export interface Asked {
  readonly input: Readonly<Record<string, string>>;
  readonly region: string;
}

/** An error with AWS's name for it. */
export class Fault extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

type Answer = (facts: AccountFacts, asked: Asked) => string;

const account = '111111111111';
const ec2Namespace = 'http://ec2.amazonaws.com/doc/2016-11-15/';
const iamNamespace = 'https://iam.amazonaws.com/doc/2010-05-08/';

const items = (list: readonly string[]) => list.map((item) => `<item>${item}</item>`).join('');
const members = (list: readonly string[]) => list.map((item) => `<member>${item}</member>`).join('');
/** Elements by their names. */
const xml = (fields: Readonly<Record<string, string | number>>) =>
  Object.entries(fields)
    .map(([name, content]) => `<${name}>${content}</${name}>`)
    .join('');
const tagSet = (value: string | null, key = 'aws:cloudformation:stack-name') =>
  value === null ? '' : items([xml({ key, value })]);
const ofEc2 = (action: string, content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response xmlns="${ec2Namespace}">` +
  `<requestId>59dbff89-35bd-4eac-99ed-be587EXAMPLE</requestId>${content}</${action}Response>`;
const ofIam = (action: string, result: string) => {
  const metadata = xml({ RequestId: '20f7279f-99ee-11e1-a4c3-27EXAMPLE804' });
  const content = xml({ [`${action}Result`]: result, ResponseMetadata: metadata });
  return `<${action}Response xmlns="${iamNamespace}">${content}</${action}Response>`;
};

const quota = (value: number, { ServiceCode, QuotaCode }: Asked['input']) =>
  JSON.stringify({
    Quota: { ServiceCode, QuotaCode, Value: value, Adjustable: true, GlobalQuota: false, Unit: 'None' },
  });

/** Answers by the right that the request needs. */
export const answers: Readonly<Record<string, Answer>> = {
  // https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
  'sts:GetCallerIdentity': () =>
    `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>` +
    `<Arn>arn:aws:iam::${account}:user/Ada</Arn><UserId>AIDACKCEVSQ6C2EXAMPLE</UserId><Account>${account}</Account>` +
    `</GetCallerIdentityResult></GetCallerIdentityResponse>`,

  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html
  'ec2:DescribeAvailabilityZones': ({ zoneIds }) => {
    const zones = Object.entries(zoneIds).map(([zoneName, zoneId]) =>
      xml({
        zoneName,
        zoneState: 'available',
        regionName: 'us-east-1',
        messageSet: '',
        zoneId,
        groupName: 'us-east-1-zg-1',
        optInStatus: 'opt-in-not-required',
        zoneType: 'availability-zone',
      }),
    );
    return ofEc2('DescribeAvailabilityZones', `<availabilityZoneInfo>${items(zones)}</availabilityZoneInfo>`);
  },

  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypeOfferings.html
  'ec2:DescribeInstanceTypeOfferings': ({ zoneIds }, { input }) => {
    if (input.LocationType !== 'availability-zone' || input['Filter.1.Name'] !== 'instance-type')
      throw new Fault(400, 'InvalidParameterValue', 'The stand-in knows offerings of a type by zone only');
    const type = input['Filter.1.Value.1'] ?? '';
    const offerings = Object.entries(zoneIds)
      .filter(([, id]) => ['g4dn.xlarge', 't4g.micro'].includes(type) && machineZoneIds.has(id))
      .map(([location]) => xml({ instanceType: type, location, locationType: 'availability-zone' }));
    return ofEc2(
      'DescribeInstanceTypeOfferings',
      `<instanceTypeOfferingSet>${items(offerings)}</instanceTypeOfferingSet>`,
    );
  },

  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html, a page for each machine
  'ec2:DescribeInstances': ({ gpuMachines }, { input }) => {
    if (input['Filter.1.Name'] !== 'instance-type' || input['Filter.2.Name'] !== 'instance-state-name')
      throw new Fault(400, 'InvalidParameterValue', 'The stand-in knows running machines by type only');
    const page = Number(input.NextToken ?? 0);
    const machine = gpuMachines[page];
    if (!machine) return ofEc2('DescribeInstances', '<reservationSet/>');
    const cpuOptions = xml({ coreCount: machine.vcpus / 2, threadsPerCore: 2 });
    const instance = xml({
      instanceType: 'g5.xlarge',
      cpuOptions,
      tagSet: tagSet(machine.group, 'aws:autoscaling:groupName'),
    });
    const next = page + 1 < gpuMachines.length ? `<nextToken>${page + 1}</nextToken>` : '';
    return ofEc2(
      'DescribeInstances',
      `<reservationSet>${items([xml({ instancesSet: items([instance]) })])}</reservationSet>${next}`,
    );
  },

  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeVpcs.html
  'ec2:DescribeVpcs': ({ vpcs }) =>
    ofEc2(
      'DescribeVpcs',
      `<vpcSet>${items(vpcs.map((stack) => xml({ vpcId: 'vpc-1', tagSet: tagSet(stack) })))}</vpcSet>`,
    ),

  // https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeOrderableDBInstanceOptions.html,
  // a page for each option
  'rds:DescribeOrderableDBInstanceOptions': ({ zoneIds, databaseZoneIds }, { input }) => {
    if (input.Engine !== 'postgres' || !/^db\.[a-z0-9]+\.[a-z0-9]+$/.test(input.DBInstanceClass ?? ''))
      throw new Fault(400, 'InvalidParameterCombination', 'The stand-in knows classes of Postgres only');
    const optionOf = (EngineVersion: string, StorageType: string, ids: readonly string[]) => {
      const names = Object.entries(zoneIds).flatMap(([name, id]) => (ids.includes(id) ? [name] : []));
      const zones = names.map((Name) => `<AvailabilityZone>${xml({ Name })}</AvailabilityZone>`).join('');
      const { Engine, DBInstanceClass } = input as { readonly Engine: string; readonly DBInstanceClass: string };
      return xml({ Engine, EngineVersion, DBInstanceClass, StorageType, AvailabilityZones: zones });
    };
    const everywhere = Object.values(zoneIds);
    const options = [
      optionOf('17.5', 'gp3', everywhere),
      optionOf('18.1', 'standard', everywhere),
      optionOf('18.1', 'gp3', databaseZoneIds),
    ];
    const page = Number(input.Marker ?? 0);
    const listed = `<OrderableDBInstanceOption>${options[page]}</OrderableDBInstanceOption>`;
    const next = page + 1 < options.length ? xml({ Marker: page + 1 }) : '';
    const result = xml({ OrderableDBInstanceOptions: listed }) + next;
    const action = 'DescribeOrderableDBInstanceOptions';
    const metadata = xml({ RequestId: 'f6805635-EXAMPLE' });
    const content = xml({ [`${action}Result`]: result, ResponseMetadata: metadata });
    return `<${action}Response xmlns="http://rds.amazonaws.com/doc/2014-10-31/">${content}</${action}Response>`;
  },

  // https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListRoles.html, a page for each two roles
  'iam:ListRoles': ({ linkedRoles }, { input }) => {
    if (input.PathPrefix !== '/aws-service-role/') throw new Fault(400, 'ValidationError', 'PathPrefix');
    const from = Number(input.Marker ?? 0);
    const roles = linkedRoles.slice(from, from + 2).map((service) => {
      const path = `/aws-service-role/${service}/`;
      return xml({ Path: path, Arn: `arn:aws:iam::${account}:role${path}Role`, RoleName: 'Role' });
    });
    const more = from + 2 < linkedRoles.length;
    const page = { IsTruncated: String(more), Roles: members(roles), ...(more && { Marker: from + 2 }) };
    return ofIam('ListRoles', xml(page));
  },

  // https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html, a page for each stack
  'cloudformation:DescribeStacks': ({ stacks }, { input }) => {
    const page = Number(input.NextToken ?? 0);
    const listed = Object.entries(stacks).map(([StackName, { status, isProtected }]) =>
      xml({ StackName, StackStatus: status, EnableTerminationProtection: String(isProtected), Tags: '' }),
    );
    const next = page + 1 < listed.length ? xml({ NextToken: page + 1 }) : '';
    const result = xml({ Stacks: members(listed.slice(page, page + 1)) }) + next;
    const content = xml({ DescribeStacksResult: result, ResponseMetadata: xml({ RequestId: 'b9b4b068-EXAMPLE' }) });
    const namespace = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';
    return `<DescribeStacksResponse xmlns="${namespace}">${content}</DescribeStacksResponse>`;
  },

  // https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_GetTemplate.html
  'cloudformation:GetTemplate': ({ stacks }, { input }) => {
    const template = stacks[input.StackName ?? '']?.template;
    if (template === undefined)
      throw new Fault(400, 'ValidationError', `Stack with id ${input.StackName} does not exist`);
    const body = template.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const content = xml({
      GetTemplateResult: xml({ TemplateBody: body }),
      ResponseMetadata: xml({ RequestId: 'b9b4b068-EXAMPLE' }),
    });
    const namespace = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';
    return `<GetTemplateResponse xmlns="${namespace}">${content}</GetTemplateResponse>`;
  },

  // https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_DescribeImages.html
  'ecr:DescribeImages': ({ images }, { input }) => {
    const [id] = input.imageIds as unknown as readonly { readonly imageDigest: string }[];
    const { repositoryName } = input;
    if (images.length === 0)
      throw new Fault(400, 'RepositoryNotFoundException', `The repository '${repositoryName}' does not exist`);
    if (!id || !images.includes(id.imageDigest))
      throw new Fault(400, 'ImageNotFoundException', `The image with imageId ${id?.imageDigest} does not exist`);
    return JSON.stringify({ imageDetails: [{ imageDigest: id.imageDigest, repositoryName, imageTags: ['main'] }] });
  },

  // https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetServiceQuota.html
  'servicequotas:GetServiceQuota': ({ appliedQuotas }, { input }) => {
    const value = appliedQuotas[`${input.ServiceCode}/${input.QuotaCode}`];
    if (value === undefined)
      throw new Fault(400, 'NoSuchResourceException', 'The request failed because there is no such quota');
    return quota(value, input);
  },

  // https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetAWSDefaultServiceQuota.html
  'servicequotas:GetAWSDefaultServiceQuota': (_facts, { input }) => {
    const value = defaultQuotas[`${input.ServiceCode}/${input.QuotaCode}`];
    if (value === undefined)
      throw new Fault(400, 'NoSuchResourceException', 'The request failed because there is no such quota');
    return quota(value, input);
  },

  // https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html
  'lambda:GetAccountSettings': ({ lambdaConcurrency }) =>
    JSON.stringify({
      AccountLimit: {
        TotalCodeSize: 80530636800,
        CodeSizeUnzipped: 262144000,
        CodeSizeZipped: 52428800,
        ConcurrentExecutions: lambdaConcurrency,
        UnreservedConcurrentExecutions: lambdaConcurrency,
      },
      AccountUsage: { TotalCodeSize: 0, FunctionCount: 0 },
    }),

  // https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html
  'ssm:GetParameter': ({ bootstraps }, { input, region }) => {
    const [, qualifier] = /^\/cdk-bootstrap\/(\w+)\/version$/.exec(input.Name ?? '') ?? [];
    const version = bootstraps[`${region}/${qualifier}`];
    if (version === undefined) throw new Fault(400, 'ParameterNotFound', 'The parameter couldn’t be found.');
    return JSON.stringify({ Parameter: { Name: input.Name, Type: 'String', Value: String(version), Version: 1 } });
  },

  // https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html
  'ses:GetAccount': ({ sesProduction }) =>
    JSON.stringify({
      DedicatedIpAutoWarmupEnabled: false,
      EnforcementStatus: 'HEALTHY',
      ProductionAccessEnabled: sesProduction,
      SendingEnabled: true,
      SendQuota: { Max24HourSend: 200, MaxSendRate: 1, SentLast24Hours: 0 },
    }),

  // https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetEmailIdentity.html
  'ses:GetEmailIdentity': ({ sesIdentities }, { input }) => {
    const verified = sesIdentities[input.name ?? ''];
    if (verified === undefined)
      throw new Fault(404, 'NotFoundException', `Email identity ${input.name} does not exist.`);
    return JSON.stringify({
      IdentityType: 'EMAIL_ADDRESS',
      VerifiedForSendingStatus: verified,
      VerificationStatus: verified ? 'SUCCESS' : 'PENDING',
      FeedbackForwardingStatus: true,
    });
  },

  // https://docs.aws.amazon.com/Route53/latest/APIReference/API_GetHostedZone.html
  'route53:GetHostedZone': ({ hostedZones }, { input }) => {
    const zone = hostedZones[input.name ?? ''];
    if (!zone) throw new Fault(404, 'NoSuchHostedZone', `No hosted zone found with ID: ${input.name}`);
    const content = xml({
      HostedZone: xml({
        Id: `/hostedzone/${input.name}`,
        Name: `${zone.name}.`,
        CallerReference: '2026',
        Config: xml({ PrivateZone: String(zone.isPrivate) }),
        ResourceRecordSetCount: 2,
      }),
      DelegationSet: xml({ NameServers: xml({ NameServer: 'ns-1.awsdns-01.org' }) }),
    });
    const namespace = 'https://route53.amazonaws.com/doc/2013-04-01/';
    return `<?xml version="1.0"?>\n<GetHostedZoneResponse xmlns="${namespace}">${content}</GetHostedZoneResponse>`;
  },
};
