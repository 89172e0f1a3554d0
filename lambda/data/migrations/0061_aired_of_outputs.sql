-- Which output took what was aired. Null: nobody has said so, as in the release before, or the way of a managed
-- platform; whoever reads it asks the replica then, or takes it for the first output's.
alter table aired_frames add column output_id text;
