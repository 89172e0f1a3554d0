-- The sweep looks for streams that have moved lately, and for what is too old to be kept.
create index stream_transitions_by_time on stream_transitions (at);
