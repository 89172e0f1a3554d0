-- Passphrases of live inputs: contributors encrypt SRT with them.

-- Keys that seal them. The right to unwrap them is separate from that for other keys.
create table live_keys (
  id smallint primary key check (id between 1 and 255),
  wrapped_key bytea not null,
  created_at timestamptz not null default now()
);

-- Null: contributors do not encrypt SRT. Else they have to.
alter table live_inputs add column sealed_passphrase bytea;
