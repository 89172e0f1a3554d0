// Findings about resources that are made while others still have their names or addresses.
import { isDeepStrictEqual } from 'node:util';
import type { DeploymentOrder, StageChange } from './deployment-order.ts';
import type { Finding } from './finding.ts';
import { namesAny, type ReplacedResources } from './replaced-resources.ts';
import { identityOf, identityParts, isLeftBehind, nameOfType } from './resource-identity.ts';
import { referencesOf, type TemplateResource } from './stage-templates.ts';

/** A resource in the account while a stack is updated. */
interface Standing {
  readonly stack: string;
  readonly id: string;
  readonly resource: TemplateResource;
}

/** Resources that are made while another one, which the service cannot tell from it, is still there. */
export function takenNames(
  { before, after }: StageChange,
  replaced: ReadonlyMap<string, ReplacedResources>,
  { order }: DeploymentOrder,
): readonly Finding[] {
  const standing = [...before].flatMap(([stack, { Resources }]) =>
    Object.entries(Resources).map(([id, resource]): Standing => ({ stack, id, resource })),
  );
  const byName = Map.groupBy(standing, ({ resource }) => `${resource.Type} ${identityOf(resource)}`);
  return [...after].flatMap(([stack, template]) =>
    Object.entries(template.Resources).flatMap(([id, resource]) => {
      const replacedHere = replaced.get(stack) ?? new Map();
      const isMade = before.get(stack)?.Resources[id]?.Type !== resource.Type || replacedHere.has(id);
      if (!isMade) return [];
      const identity = identityOf(resource);
      const same = identity === null ? [] : (byName.get(`${resource.Type} ${identity}`) ?? []);
      const inTheWay = same.filter((other) => isInTheWay(other, { stack, id, resource }, after, order, replacedHere));
      const overlapping = overlappingSubnets(stack, resource, before, replacedHere);
      return [...inTheWay.map(({ stack: place, id: other }) => `${place}/${other}`), ...overlapping]
        .slice(0, 1)
        .map((other) => taken(`${stack}/${id}`, resource, other));
    }),
  );
}

function taken(subject: string, { Type }: TemplateResource, other: string): Finding {
  const isSubnet = Type === 'AWS::EC2::Subnet';
  const owner = subject === other ? 'the one that it replaces' : other;
  return {
    effect: 'refused',
    subject,
    sentence: `${nameOfType(Type)} ${subject} is made while ${owner} still has its ${isSubnet ? 'addresses' : 'name'}.`,
    remedy: isSubnet
      ? 'Leave the addresses of the subnets that stand, and append new ones.'
      : 'Keep the logical id, give the new one another name, or take the old one away in a deployment before.',
  };
}

/** @param other a resource of `before` that has the same name */
function isInTheWay(
  other: Standing,
  made: Standing,
  after: StageChange['after'],
  order: readonly string[],
  replaced: ReplacedResources,
): boolean {
  const parts = identityParts(made.resource);
  // An equal name that contains a replaced resource is that of the new one.
  if (other.stack === made.stack) return !namesAny(parts, replaced);
  if ([...referencesOf(parts)].some((id) => !id.startsWith('AWS::'))) return false;
  const next = after.get(other.stack)?.Resources[other.id];
  const leaves = after.has(other.stack) && (!next || identityOf(next) !== identityOf(other.resource));
  if (!leaves || isLeftBehind(other.resource.DeletionPolicy)) return true;
  return order.indexOf(other.stack) > order.indexOf(made.stack);
}

function overlappingSubnets(
  stack: string,
  { Type, Properties = {} }: TemplateResource,
  before: StageChange['before'],
  replaced: ReplacedResources,
): readonly string[] {
  if (Type !== 'AWS::EC2::Subnet' || namesAny(Properties['VpcId'], replaced)) return [];
  return Object.entries(before.get(stack)?.Resources ?? {})
    .filter(([, old]) => old.Type === Type && isDeepStrictEqual(old.Properties?.['VpcId'], Properties['VpcId']))
    .filter(([, old]) => overlap(old.Properties?.['CidrBlock'], Properties['CidrBlock']))
    .map(([id]) => `${stack}/${id}`);
}

/** Whether two blocks of IPv4 addresses, such as `10.0.0.0/18`, have addresses in common. */
function overlap(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  const [[from, length], [otherFrom, otherLength]] = [blockOf(one), blockOf(other)];
  const size = 2 ** (32 - Math.min(length, otherLength));
  return Math.floor(from / size) === Math.floor(otherFrom / size);
}

function blockOf(cidr: string): [address: number, length: number] {
  const [address = '', length] = cidr.split('/');
  return [address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0), Number(length)];
}
