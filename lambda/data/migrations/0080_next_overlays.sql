-- What comes next is drawn over the last seconds of an item: names of variants may end so, and none did before.

create or replace function drawing_of(format text) returns text language sql immutable parallel safe as
  $$ select substring(format from '-([ov][0-9a-f]{16}(?:a|[fl][0-9]+)?)$') $$;
