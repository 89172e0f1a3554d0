-- Whether a user is funded, by the rule of `isFunded`. The live ingest asks for it, and may read no invoices.
create function is_funded(of_user text) returns boolean language sql stable security definer
set search_path = public, pg_temp
as $$
  select exists (
    select from invoices
    where user_id = of_user and state = 'paid' and type <> 'free_credits' and credits >= 100)
$$;
