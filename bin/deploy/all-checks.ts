// All checks before a deployment, in the order of the table.
import type { Check, LocalCheck } from './check.ts';
import { bootstrap } from './checks/bootstrap.ts';
import { cloudFront } from './checks/cloudfront.ts';
import { costTag } from './checks/cost-tag.ts';
import { docker } from './checks/docker.ts';
import { failedStacks } from './checks/failed-stacks.ts';
import { githubProvider } from './checks/github-provider.ts';
import { hostedZone } from './checks/hosted-zone.ts';
import { publisherImage } from './checks/image.ts';
import { serviceLinkedRoles } from './checks/linked-roles.ts';
import { mailAccess, mailIdentity, mailSender } from './checks/mail.ts';
import { lambdaConcurrency, quotas } from './checks/quotas.ts';
import { zones } from './checks/zones.ts';

/** Checks that need no credentials. */
export const localChecks: readonly LocalCheck[] = [docker, mailSender];

export const allChecks: readonly Check[] = [
  docker,
  publisherImage,
  bootstrap,
  failedStacks,
  serviceLinkedRoles,
  zones,
  ...quotas,
  lambdaConcurrency,
  mailSender,
  mailAccess,
  mailIdentity,
  hostedZone,
  githubProvider,
  cloudFront,
  costTag,
];
