-- The orders of advertisers that uploads belong to. Runs keep them as they were when an item was planned.
alter table uploads
  -- The advertiser's name; null: none was given.
  add column advertiser text,
  -- The reference of the order that playings are reported to; null: the upload belongs to none.
  add column order_reference text;

-- Changed orders are in the next plan of the user's programmes.
drop trigger uploads_planned_again on uploads;
create trigger uploads_planned_again
  after update of probe_state, folder, tags, given_titles, name, show_seconds, availability, advertiser, order_reference
  on uploads
  for each row when (new.probe_state = 'completed' and (
    old.probe_state, old.folder, old.tags, old.given_titles, old.name, old.show_seconds, old.availability,
    old.advertiser, old.order_reference) is distinct from (
    new.probe_state, new.folder, new.tags, new.given_titles, new.name, new.show_seconds, new.availability,
    new.advertiser, new.order_reference))
  execute function plan_programmes_again();
