// Addresses that belong to one inbox.
import { expect, it } from 'vitest';
import { inboxOf } from '../../../lambda/domain/billing/inbox.ts';

it.for([
  ['Ada@Example.com', 'ada@example.com'],
  ['ada+more@example.com', 'ada@example.com'],
  ['a.d.a@example.com', 'a.d.a@example.com'],
  ['J.o.h.n@gmail.com', 'john@gmail.com'],
  ['john@googlemail.com', 'john@gmail.com'],
  ['j.ohn+more@GoogleMail.com.', 'john@gmail.com'],
  ['jo_h-n@pm.me', 'john@proton.me'],
  ['john@me.com', 'john@icloud.com'],
  ['"a@b"@example.com', '"a@b"@example.com'],
  ['ada@', 'ada@'],
  ['', '@'],
] as const)('the inbox of %s is %s', ([email, inbox]) => {
  expect(inboxOf(email)).toBe(inbox);
});
