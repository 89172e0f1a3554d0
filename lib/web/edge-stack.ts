// The resources that CloudFront requires in us-east-1: the web ACL, a function, and the certificate of a domain.
import { CfnOutput, CrossStackReferences, Fn, ReferenceStrength, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type CfnVersion, type IVersion, Version } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { cloudFrontRegion } from '../shared/stage-regions.ts';
import type { StageSettings } from '../stage-settings.ts';
import { ChallengeFunction } from './challenge-function.ts';
import { firewall } from './firewall.ts';
import type { StageZone } from './stage-zone.ts';

export interface EdgeStackProps {
  readonly settings: StageSettings;
  readonly zone: StageZone;
}

const challengeOutput = 'ChallengeVersion';

export class EdgeStack extends Stack {
  readonly webAclArn: string;
  /** Another text for each version of the function for the answers of the API. */
  readonly challengeName: string;
  /** Null for a stage without a domain. */
  readonly certificate: ICertificate | null;

  constructor(scope: Construct, id: string, { settings, zone }: EdgeStackProps) {
    super(scope, id, {
      env: { region: cloudFrontRegion, ...(settings.account !== null && { account: settings.account }) },
    });
    const acl = firewall(this, 'WebAcl', settings.webRequestsPerFiveMinutes);
    const { domain, certificateArn } = settings;
    const made = domain && certificateArn === null ? this.#certificate(domain.name, zone) : null;
    const challenge = new ChallengeFunction(this, 'Challenge').version;
    // Other regions cannot import these resources. A stack that reads an output gets a new value only when it is
    // deployed for another reason: the web ACL is never replaced, a certificate is replaced with the distribution's
    // name, and the distribution names the version of the function.
    for (const resource of [acl, made]) if (resource) CrossStackReferences.of(resource).produce(ReferenceStrength.WEAK);
    // The CDK's own output has the version in its name: a distribution that is rolled back would ask for one that is
    // gone.
    new CfnOutput(this, challengeOutput, { value: challenge.functionArn });
    this.webAclArn = acl.attrArn;
    this.certificate =
      certificateArn === null ? made : Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    this.challengeName = (challenge.node.defaultChild as CfnVersion).logicalId;
  }

  /** The function for the answers of the API, for a stack that depends on this one. It also has to name it. */
  challengeIn(scope: Stack): IVersion {
    const arn = Fn.getStackOutput(this.stackName, challengeOutput, this.region);
    return Version.fromVersionArn(scope, 'Challenge', arn);
  }

  /** A certificate that waits for a record in the zone, as proof of the name's ownership. */
  #certificate(domainName: string, zone: StageZone): Certificate {
    const validation = CertificateValidation.fromDns(zone.in(this));
    const certificate = new Certificate(this, 'Certificate', { domainName, validation });
    // Decision D200.
    certificate.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    return certificate;
  }
}
