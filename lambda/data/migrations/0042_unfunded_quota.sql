-- The part of a platform's daily quota that users without a purchase have used, as accounts cost nothing.

alter table platform_quota add column unfunded_units integer not null default 0;
