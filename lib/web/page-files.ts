// Uploads the web page to its bucket: first the files whose content never changes, then the HTML documents.
import { lambdaFolder, writePage } from '#artifacts';
import { AssetHashType, DockerImage, Duration, Stack } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import {
  acknowledge,
  acknowledgeCdkFunction,
  acknowledgeForCheckov,
  policyOfAWS,
  wildcardResource,
} from '../shared/acknowledge.ts';
import { ServiceLogs } from '../shared/service-logs.ts';

export interface PageFilesProps {
  readonly bucket: IBucket;
  readonly logRetentionDays: RetentionDays;
}

export class PageFiles extends Construct {
  constructor(scope: Construct, id: string, { bucket, logRetentionDays }: PageFilesProps) {
    super(scope, id);
    const logGroup = new ServiceLogs(this, 'Logs', logRetentionDays);
    const sources = [bundledPage()];
    // Pages that are open in a browser still request files of the previous version, so old files are not deleted.
    const common = { destinationBucket: bucket, sources, logGroup, prune: false };
    const assets = new BucketDeployment(this, 'Assets', {
      ...common,
      exclude: ['*.html'],
      cacheControl: [CacheControl.maxAge(Duration.days(365)), CacheControl.immutable()],
    });
    const document = new BucketDeployment(this, 'Document', {
      ...common,
      exclude: ['*'],
      include: ['*.html'],
      cacheControl: [CacheControl.noCache()],
    });
    document.node.addDependency(assets);

    this.#acknowledgeHandler(bucket);
  }

  /** Accepts findings on the CDK's function that both deployments share. The CDK chooses its rights and runtime. */
  #acknowledgeHandler(bucket: IBucket): void {
    const stack = Stack.of(this);
    const handler = stack.node.children.find(({ node }) => node.id.startsWith('Custom::CDKBucketDeployment'))!;
    acknowledgeCdkFunction(handler.node.defaultChild ?? handler);
    acknowledgeForCheckov(handler, 'Its variable is a path, and no secret.', 'CKV_AWS_173');
    const assetsBucket = `cdk-${stack.synthesizer.bootstrapQualifier}-assets-${stack.account}-${stack.region}`;
    acknowledge(
      handler,
      'The CDK’s own function: it reads what was uploaded for a deployment, ' +
        'writes it into the page’s bucket, and writes its logs.',
      'AwsSolutions-L1',
      policyOfAWS('AWSLambdaBasicExecutionRole'),
      ...['GetBucket*', 'GetObject*', 'List*', 'Abort*', 'DeleteObject*'].map(
        (action) => `AwsSolutions-IAM5[Action::s3:${action}]`,
      ),
      wildcardResource(this, `arn:${stack.partition}:s3:::${assetsBucket}/*`),
      wildcardResource(this, bucket.arnForObjects('*')),
    );
  }
}

function bundledPage() {
  return Source.asset(lambdaFolder, {
    // The hash is that of the bundled files: only a page that has changed is deployed again.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('not-used'),
      local: {
        tryBundle(outputFolder) {
          writePage(outputFolder);
          return true;
        },
      },
    },
  });
}
