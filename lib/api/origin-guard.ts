// Refuses requests to API Gateway that do not come through the distribution.
// Decision D89.
import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';

/** The API to guard. */
export interface OriginGuardProps {
  /** The stage of the API. */
  readonly gatewayStage: Stage;
}

/**
 * Usable alone, with any stage of a REST API. The distribution has to send `headerName` with `headerValue` as a custom
 * header of its origin.
 */
export class OriginGuard extends Construct {
  /**
   * The header that the distribution adds to every request. CloudFormation reads a secret again only for a resource
   * that changes: a new number in this name changes both the web ACL and the distribution.
   */
  readonly headerName = 'x-origin-secret-1';
  /** The value of that header. It is a dynamic reference, so that no template contains the secret. */
  readonly headerValue: string;

  constructor(scope: Construct, id: string, { gatewayStage }: OriginGuardProps) {
    super(scope, id);
    const secret = new Secret(this, 'Secret', {
      description: 'Secret that the distribution sends to the API, which refuses other requests',
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    acknowledge(
      secret,
      'Changed by a deployment, as the distribution has to change with it: lib/README.md, “Rotate secrets”.',
      'AwsSolutions-SMG4',
    );
    acknowledgeForCheckov(secret, 'Encrypted with AWS’ own key: it can be made again at any time.', 'CKV_AWS_149');
    // Use it only in properties in which CloudFormation resolves the reference. Elsewhere it stays a literal text.
    this.headerValue = secret.secretValue.unsafeUnwrap();

    const visibilityConfig = (metricName: string) => ({
      metricName,
      cloudWatchMetricsEnabled: true,
      sampledRequestsEnabled: false,
    });
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { block: {} },
      visibilityConfig: visibilityConfig('NotThroughDistribution'),
      rules: [
        {
          name: 'ThroughDistribution',
          priority: 0,
          action: { allow: {} },
          visibilityConfig: visibilityConfig('ThroughDistribution'),
          statement: {
            byteMatchStatement: {
              fieldToMatch: { singleHeader: { Name: this.headerName } },
              positionalConstraint: 'EXACTLY',
              searchString: this.headerValue,
              textTransformations: [{ priority: 0, type: 'NONE' }],
            },
          },
        },
      ],
    });
    acknowledgeForCheckov(
      acl,
      'It only tests the secret; the rule against Log4j is in the distribution’s web ACL.',
      'CKV_AWS_192',
    );
    new CfnWebACLAssociation(this, 'WebAclAssociation', { webAclArn: acl.attrArn, resourceArn: gatewayStage.stageArn });
  }
}
