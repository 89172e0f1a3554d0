-- Signals come in storms: the table is empty when connections plan what their triggers ask, and the plans are kept. So
-- each of thousands of rows that moved together read all signals of the others.
alter function signal_stream() set enable_seqscan = off;
alter function signal_replica() set enable_seqscan = off;
