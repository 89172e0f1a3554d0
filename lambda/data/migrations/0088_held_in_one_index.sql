-- Each agent asks each second whether what it holds has changed: the index answers, and rows are not visited. None of
-- these columns changes without the holder, or the wish, changing, so that reports change no index.
create index replicas_of_agent on replicas (agent_id) include (id, epoch, wanted);
drop index replicas_by_agent;
