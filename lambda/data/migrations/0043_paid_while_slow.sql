-- Whether a destination takes pictures although it is too slow, so that its replica is failing. They are paid for.

alter table replicas add column takes_media boolean not null default false;
