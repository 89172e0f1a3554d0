-- The titles of an upload that viewers see. Users give an empty text for none; tags of files are never empty. It is one
-- expression, which Postgres computes in place: a page of uploads called the former function for each row.
create or replace function upload_titles(file_tags jsonb, given_titles jsonb) returns jsonb
language sql immutable parallel safe as $$
  select (coalesce(file_tags, '{}') || given_titles) - array_remove(array[
    'artworkStream',
    case given_titles ->> 'title' when '' then 'title' end,
    case given_titles ->> 'artist' when '' then 'artist' end,
    case given_titles ->> 'album' when '' then 'album' end], null)
$$;
