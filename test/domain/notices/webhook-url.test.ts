// Allowed URLs of a webhook, as far as the URL alone decides it.
import { expect, test } from 'vitest';
import { faultOfWebhookURL } from '../../../lambda/domain/notices/webhook-url.ts';

test.each([
  // URL, its fault in AWS, its fault on one machine
  ['https://hooks.example.org/x?y=z', null, null],
  ['https://hooks.example.org:8443/', null, null],
  ['https://1.1.1.1/', null, null],
  ['http://hooks.example.org/', 'forbidden', null],
  ['https://localhost/', 'forbidden', null],
  ['http://127.0.0.1:8080/', 'forbidden', null],
  ['https://10.0.0.1/', 'forbidden', null],
  ['https://0x7f000001/', 'forbidden', null],
  ['https://[::1]/', 'forbidden', null],
  ['https://service.internal/', 'forbidden', null],
  ['https://169.254.169.254/latest', 'forbidden', 'forbidden'],
  ['https://2852039166/', 'forbidden', 'forbidden'],
  ['https://[fe80::1]/', 'forbidden', 'forbidden'],
  ['https://[::ffff:169.254.169.254]/', 'forbidden', 'forbidden'],
  ['http://100.100.100.200/', 'forbidden', 'forbidden'],
  ['https://0.0.0.0/', 'forbidden', 'forbidden'],
  ['https://me:secret@hooks.example.org/', 'malformed', 'malformed'],
  ['ftp://hooks.example.org/', 'malformed', 'malformed'],
  ['file:///etc/passwd', 'malformed', 'malformed'],
  ['hooks.example.org', 'malformed', 'malformed'],
  ['', 'malformed', 'malformed'],
])('%s: %s in AWS, %s on one machine', (url, inAws, onOneMachine) => {
  const faults = [false, true].map((allowPrivateAddresses) => faultOfWebhookURL(url, { allowPrivateAddresses }));
  expect(faults).toEqual([inAws, onOneMachine]);
});
