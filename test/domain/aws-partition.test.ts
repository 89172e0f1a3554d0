// Hosts of AWS by partition, as AWS' lists of endpoints have them.
import { expect, test } from 'vitest';
import { awsHost, isAWSHost, partitionHost, partitionOf } from '../../lambda/domain/aws-partition.ts';

test.each([
  ['eu-central-1', 'aws', 'sts.eu-central-1.amazonaws.com'],
  ['cn-north-1', 'aws-cn', 'sts.cn-north-1.amazonaws.com.cn'],
  ['us-gov-west-1', 'aws-us-gov', 'sts.us-gov-west-1.amazonaws.com'],
])('%s is in %s, and is asked at %s', (region, partition, host) => {
  expect(partitionOf(region)).toBe(partition);
  expect(awsHost('sts', region)).toBe(host);
});

test('what is one for a partition has its suffix', () => {
  expect(partitionHost('route53', 'aws-cn')).toBe('route53.amazonaws.com.cn');
});

test.each([
  ['s3.amazonaws.com', true],
  ['s3.cn-north-1.amazonaws.com.cn', true],
  ['s3-amazonaws.com', false],
  ['s3.amazonaws.com.example.org', false],
  ['amazonaws.com', false],
])('%s is a host of AWS: %j', (host, isOne) => {
  expect(isAWSHost(host)).toBe(isOne);
});
