// Hosts of AWS, as in AWS' list of endpoints.
import { expect, test } from 'vitest';
import { awsHost, isAWSHost, serviceOfAWS } from '../../../lambda/domain/shared/aws-partition.ts';

test('a service of a region, and one in policies, have the names that AWS gives them', () => {
  expect(awsHost('sts', 'eu-central-1')).toBe('sts.eu-central-1.amazonaws.com');
  expect(serviceOfAWS('scheduler')).toBe('scheduler.amazonaws.com');
});

test.each([
  ['s3.amazonaws.com', true],
  ['s3-amazonaws.com', false],
  ['s3.amazonaws.com.example.org', false],
  ['amazonaws.com', false],
])('%s is a host of AWS: %j', (host, isOne) => {
  expect(isAWSHost(host)).toBe(isOne);
});
