-- Posters are pictures at a fixed interval of an item. Those that follow each other are made at once, and are one row:
-- so many of them, each an object of its own. Null: the row is one picture, of exactly its frame.
alter table frames add column posters smallint;
