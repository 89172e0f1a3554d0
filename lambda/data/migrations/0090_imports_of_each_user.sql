-- A worker asks for the first imports of each user that waits. It read all thousand of one user, for each that it took.
create index imports_unclaimed on imports (user_id, seq)
  where lease_expires_at is null and state in ('pending', 'downloading');
drop index imports_to_claim;
