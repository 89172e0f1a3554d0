-- Live streams of the encoded backend that somebody looks at, and the last pieces of what their encoder made. Nothing
-- of it is worth more than the minute in which it is looked at.
create unlogged table stream_previews (
  stream_id text primary key references streams (id) on delete cascade,
  -- Whose holder writes the pieces.
  replica_id text not null,
  -- Nobody looks any more from then on.
  looked_at_until timestamptz not null,
  -- { number, header, key, frame, frames } of the last ones, in order.
  pieces jsonb not null default '[]'
);
create index stream_previews_of_replica on stream_previews (replica_id);
