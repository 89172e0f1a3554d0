// Resources that remain when a stage is destroyed: “Leaving” in lib/README.md names all that the templates keep.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

/** The words of “Leaving” for each type of resource that outlives its stack. */
const words: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Account': 'API Gateway account setting',
  'AWS::CertificateManager::Certificate': 'certificate of a domain',
  'AWS::IAM::Role': 'IAM role',
  'AWS::KMS::Key': 'KMS keys',
  'AWS::Lambda::Function': 'Lambda function',
  'AWS::Lambda::Version': 'its versions',
  'AWS::RDS::DBInstance': 'last snapshot of the RDS database',
  'AWS::S3::Bucket': 'S3 buckets',
  'AWS::SecretsManager::Secret': 'Secrets',
};

const readme = readFileSync(new URL('../../lib/README.md', import.meta.url), 'utf8');
const [, leaving = ''] = /^## Leaving\n([^]*?)^## /m.exec(readme) ?? [];
const [always = '', withKeepData = ''] = leaving.split('`keepData`');

const domain = { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' };

test.each([
  ['dev', null, always],
  ['prod', domain, withKeepData + always],
] as const)(
  'a stage with the settings of %s and the domain %j leaves nothing that is not named',
  (name, named, text) => {
    const kept = synthesizeStage(testApp(), name, { ...stages[name], domain: named })
      .resources()
      .filter(([, resource]) =>
        ['Retain', 'RetainExceptOnCreate', 'Snapshot'].includes(String(Object(resource).DeletionPolicy)),
      );
    const unnamed = kept.filter(([, { Type }]) => !text.includes(words[Type] ?? Type));
    expect(unnamed.map(([id, { Type }]) => `${id}: ${Type}`)).toEqual([]);
  },
);
