-- The drawing of a rendition in a column, so that no statement reads it from the name of the format.

-- The name of the drawing over the pictures; null: none.
alter table renditions add column drawing text;
update renditions set drawing = drawing_of(format) where drawing_of(format) is not null;
create index renditions_with_drawing on renditions (drawing) where drawing is not null;

-- The release before writes no drawing. A later release drops this trigger with its function, and drawing_of with the
-- index renditions_by_drawing.
create function note_drawing_of_rendition() returns trigger language plpgsql as $$
begin
  new.drawing := drawing_of(new.format);
  return new;
end $$;
create trigger rendition_without_drawing before insert on renditions
  for each row when (new.drawing is null) execute function note_drawing_of_rendition();
