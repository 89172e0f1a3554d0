// The AWS services that the checks query: the address, the signing and the protocol of each.
// Each API reference has a page “Making requests”; the protocols are those of smithy.io/2.0/aws/protocols.

/** Lists are for JSON only. */
export type QuestionInput = Readonly<Record<string, string | readonly (string | Readonly<Record<string, string>>)[]>>;

interface Asks {
  headers(action: string): Readonly<Record<string, string>>;
  /** The body of a question; undefined: it has none. */
  readonly body?: (action: string, input: QuestionInput) => string;
}

export interface ServiceFacts {
  /** The prefix of the service's actions in IAM policies. */
  readonly rights: string;
  readonly signingName: string;
  /**
   * The host name, without its suffix, of a service with one endpoint for all regions. Others are at SERVICE.REGION.
   */
  readonly oneForAll?: string;
  /** The variable that AWS' own tools read for another endpoint of this service. */
  readonly endpointVariable: string;
  readonly asks: Asks;
  readonly answers: 'xml' | 'json';
}

const form = (version: string): Asks => ({
  headers: () => ({ 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }),
  body: (action, input) => {
    const fields = new URLSearchParams({ Action: action, Version: version });
    for (const [name, value] of Object.entries(input)) {
      // EC2 and IAM flatten a list each in its own way.
      if (typeof value !== 'string') throw new TypeError(`${name} of ${action} is a list`);
      fields.append(name, value);
    }
    return fields.toString();
  },
});

const json = (target: string): Asks => ({
  headers: (action) => ({ 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${target}.${action}` }),
  body: (_action, input) => JSON.stringify(input),
});

const rest: Asks = { headers: () => ({}) };

/** The services, by the name before the region in their hosts. */
export const awsServices = {
  'api.ecr': {
    rights: 'ecr',
    signingName: 'ecr',
    endpointVariable: 'AWS_ENDPOINT_URL_ECR',
    asks: json('AmazonEC2ContainerRegistry_V20150921'),
    answers: 'json',
  },
  ce: {
    rights: 'ce',
    signingName: 'ce',
    oneForAll: 'ce.us-east-1',
    endpointVariable: 'AWS_ENDPOINT_URL_COST_EXPLORER',
    asks: json('AWSInsightsIndexService'),
    answers: 'json',
  },
  cloudformation: {
    rights: 'cloudformation',
    signingName: 'cloudformation',
    endpointVariable: 'AWS_ENDPOINT_URL_CLOUDFORMATION',
    asks: form('2010-05-15'),
    answers: 'xml',
  },
  ec2: {
    rights: 'ec2',
    signingName: 'ec2',
    endpointVariable: 'AWS_ENDPOINT_URL_EC2',
    asks: form('2016-11-15'),
    answers: 'xml',
  },
  email: {
    rights: 'ses',
    signingName: 'ses',
    endpointVariable: 'AWS_ENDPOINT_URL_SESV2',
    asks: rest,
    answers: 'json',
  },
  iam: {
    rights: 'iam',
    signingName: 'iam',
    oneForAll: 'iam',
    endpointVariable: 'AWS_ENDPOINT_URL_IAM',
    asks: form('2010-05-08'),
    answers: 'xml',
  },
  lambda: {
    rights: 'lambda',
    signingName: 'lambda',
    endpointVariable: 'AWS_ENDPOINT_URL_LAMBDA',
    asks: rest,
    answers: 'json',
  },
  route53: {
    rights: 'route53',
    signingName: 'route53',
    oneForAll: 'route53',
    endpointVariable: 'AWS_ENDPOINT_URL_ROUTE_53',
    asks: rest,
    answers: 'xml',
  },
  servicequotas: {
    rights: 'servicequotas',
    signingName: 'servicequotas',
    endpointVariable: 'AWS_ENDPOINT_URL_SERVICE_QUOTAS',
    asks: json('ServiceQuotasV20190624'),
    answers: 'json',
  },
  ssm: {
    rights: 'ssm',
    signingName: 'ssm',
    endpointVariable: 'AWS_ENDPOINT_URL_SSM',
    asks: json('AmazonSSM'),
    answers: 'json',
  },
} as const satisfies Readonly<Record<string, ServiceFacts>>;

export type AwsService = keyof typeof awsServices;
