-- Programmes: rules that plan the timeline of a stream. Edits change the draft.
create table programmes (
  id text primary key,
  seq bigint not null generated always as identity,
  user_id text not null references users (id) on delete cascade,
  stream_id text not null references streams (id) on delete cascade,
  kind text not null check (kind in ('video', 'audio')),
  -- All random orders follow from it.
  seed integer not null,
  version integer not null default 1,
  -- ProgrammeRules (lambda/domain/programme/programme-rules.ts), without the seed.
  draft jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (stream_id, kind)
);
create index programmes_by_user on programmes (user_id, seq desc);

create trigger programmes_note_added after insert on programmes
referencing new table as added for each statement execute function note_added('programme');
create trigger programmes_note_changed after update on programmes
for each row execute function note_changed('programme');
create trigger programmes_note_gone after delete on programmes
referencing old table as gone for each statement execute function note_gone('programme');
