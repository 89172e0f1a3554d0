-- Units of a platform's daily quota that calls for one user have used on their last day, so that one user leaves the
-- others their part.
create table platform_quota_shares (
  platform text not null,
  user_id text not null references users on delete cascade,
  day date not null,
  used_units integer not null,
  primary key (platform, user_id)
);
create index platform_quota_shares_by_user on platform_quota_shares (user_id);
