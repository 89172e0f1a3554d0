// The table of properties that replace a resource, against the specification of CloudFormation in the CDK's CLI.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createOnly } from '../../bin/deploy/template-changes/resource-rules.ts';
import { knownTypes } from '../support/known-types.ts';

interface ResourceType {
  readonly cloudFormationType: string;
  readonly properties: Readonly<Record<string, { readonly causesReplacement?: string }>>;
}

interface Specification {
  readonly schema: { readonly resource: { readonly entities: Readonly<Record<string, ResourceType>> } };
}

test('has each property whose change replaces a resource of our templates', () => {
  const file = join(import.meta.dirname, '../../node_modules/aws-cdk/db.json.gz');
  const { schema } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Specification;
  const specified = Object.values(schema.resource.entities)
    .filter(({ cloudFormationType: type }) => knownTypes.has(type))
    .map(({ cloudFormationType: type, properties }): [string, string[]] => [
      type,
      Object.keys(properties)
        .filter((name) => properties[name]?.causesReplacement === 'yes')
        .toSorted(),
    ])
    .filter(([, names]) => names.length > 0);
  expect(createOnly).toEqual(Object.fromEntries(specified));
});
