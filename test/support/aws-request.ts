// Derives from an HTTP request to AWS the actions and resources that it needs (Service Authorization Reference).

export interface AwsRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A right that the caller of a request needs: for the request itself, or for calls that AWS makes in its name. */
export interface NeededRight {
  readonly action: string;
  /** Name, URL or ARN of the resource, as in the request. */
  readonly resource: string;
  /** Part of the resource: an object's key, a schedule's name. */
  readonly part?: string;
  readonly context?: Readonly<Record<string, string>>;
}

type Read = (request: AwsRequest, url: URL, status: number) => readonly NeededRight[];

/** Operations of JSON APIs, by X-Amz-Target, with the member of the input that names the resource. */
const jsonOperations: Readonly<Record<string, readonly [action: string, member: string]>> = {
  'AmazonSSM.GetParameter': ['ssm:GetParameter', 'Name'],
  'secretsmanager.GetSecretValue': ['secretsmanager:GetSecretValue', 'SecretId'],
  'TrentService.Encrypt': ['kms:Encrypt', 'KeyId'],
  'TrentService.Decrypt': ['kms:Decrypt', 'KeyId'],
  'AmazonSQS.SendMessageBatch': ['sqs:SendMessage', 'QueueUrl'],
  'AmazonSQS.DeleteMessageBatch': ['sqs:DeleteMessage', 'QueueUrl'],
  'AmazonSQS.ReceiveMessage': ['sqs:ReceiveMessage', 'QueueUrl'],
  'AmazonSQS.GetQueueAttributes': ['sqs:GetQueueAttributes', 'QueueUrl'],
};

const scheduleActions: Readonly<Record<string, string>> = {
  POST: 'scheduler:CreateSchedule',
  PUT: 'scheduler:UpdateSchedule',
  DELETE: 'scheduler:DeleteSchedule',
};

const readers: Readonly<Record<string, Read>> = {
  s3: readS3,
  scheduler({ method, body }, url) {
    const name = /^\/schedules\/([^/]+)$/.exec(url.pathname)?.[1];
    const action = scheduleActions[method];
    if (name === undefined || action === undefined) return [];
    const { GroupName = url.searchParams.get('groupName'), Target } = JSON.parse(body || '{}');
    const schedule = { action, resource: GroupName, part: name };
    if (!Target) return [schedule];
    const context = { 'iam:PassedToService': 'scheduler.amazonaws.com' };
    return [schedule, { action: 'iam:PassRole', resource: Target.RoleArn, context }];
  },
  ses({ method, body }, url) {
    if (method !== 'POST' || url.pathname !== '/v2/email/outbound-emails') return [];
    const { FromEmailAddress: from, ConfigurationSetName: set } = JSON.parse(body);
    // SES asks for the identity and, if the request names one, for the configuration set.
    return [from, ...(set === undefined ? [] : [set])].map((resource) => ({
      action: 'ses:SendEmail',
      resource,
      context: { 'ses:FromAddress': from },
    }));
  },
  /** The Query protocol: a form. */
  sts({ body }) {
    const asked = new URLSearchParams(body);
    const roleARN = asked.get('RoleArn');
    if (asked.get('Action') !== 'AssumeRole' || roleARN === null) return [];
    return [
      { action: 'sts:AssumeRole', resource: roleARN, context: { 'sts:ExternalId': asked.get('ExternalId') ?? '' } },
    ];
  },
  lambda({ method }, url) {
    const name = /^\/[\d-]+\/functions\/([^/]+)\/invocations$/.exec(url.pathname)?.[1];
    if (method !== 'POST' || name === undefined) return [];
    return [{ action: 'lambda:InvokeFunction', resource: decodeURIComponent(name) }];
  },
};

/**
 * @param status the status that AWS answered
 * @returns empty for an unsigned request, which needs no right
 * @throws on an operation that is not known here
 */
export function rightsNeededFor(request: AwsRequest, status: number): readonly NeededRight[] {
  const url = new URL(request.url, 'http://aws');
  const credential =
    /Credential=([^,\s]+)/.exec(String(request.headers.authorization))?.[1] ?? url.searchParams.get('X-Amz-Credential');
  if (!credential) return [];
  const service = credential.split('/')[3] ?? '';
  const target = request.headers['x-amz-target'];
  const needed = typeof target === 'string' ? readJson(target, request) : readers[service]?.(request, url, status);
  if (!needed?.length)
    throw new Error(`not known what ${service} needs for ${request.method} ${url.pathname} ${target}`);
  return needed;
}

function readJson(target: string, { body }: AwsRequest): readonly NeededRight[] {
  const [action, member] = jsonOperations[target] ?? [];
  if (action === undefined || member === undefined) return [];
  const input = JSON.parse(body);
  const encryption = Object.entries<string>(input.EncryptionContext ?? {}).map(([name, value]) => [
    `kms:EncryptionContext:${name}`,
    value,
  ]);
  const context = encryption.length > 0 ? { context: Object.fromEntries(encryption) } : {};
  return [{ action, resource: input[member], ...context }];
}

/** Amazon S3 user guide, "Required permissions for Amazon S3 API operations". The bucket is in the path. */
function readS3({ method }: AwsRequest, url: URL, status: number): readonly NeededRight[] {
  const [, bucket = '', key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
  const has = (name: string) => url.searchParams.has(name);
  if (key === '') return has('cors') ? [{ action: 's3:PutBucketCORS', resource: bucket }] : [];
  const on = (action: string) => ({ action, resource: bucket, part: key });
  // With a bucket key, S3 asks KMS in the name of the caller, for the whole bucket ("Reducing the cost of SSE-KMS").
  const byKms = (action: string) => ({
    action,
    resource: `key of ${bucket}`,
    context: { 'kms:ViaService': 's3.us-east-1.amazonaws.com', 'kms:EncryptionContext:aws:s3:arn': bucket },
  });
  // To write parts, S3 also has to read the key again ("Multipart upload API and permissions").
  const part = [on('s3:PutObject'), byKms('kms:GenerateDataKey'), byKms('kms:Decrypt')];
  // Without the right to list, AWS answers 403 for a missing object (GetObject, HeadObject, "Permissions").
  const missing = [on('s3:GetObject'), { action: 's3:ListBucket', resource: bucket }];
  switch (method) {
    case 'GET':
      if (has('uploadId')) return [on('s3:ListMultipartUploadParts')];
      return status === 404 ? missing : [on('s3:GetObject'), byKms('kms:Decrypt')];
    case 'HEAD':
      return status === 404 ? missing : [on('s3:GetObject')];
    case 'POST':
      return part;
    case 'PUT':
      return has('partNumber') ? part : [on('s3:PutObject'), byKms('kms:GenerateDataKey')];
    case 'DELETE':
      return [on(has('uploadId') ? 's3:AbortMultipartUpload' : 's3:DeleteObject')];
    default:
      return [];
  }
}
