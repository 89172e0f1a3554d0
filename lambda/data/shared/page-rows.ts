// SQL of the rows of a page that is bounded by their sizes, so that no other row is read whole. Decision D269.

/** A list of rows with an `id` and a `seq`, the newest first, and the parameters of one page of it. */
interface PageRows {
  readonly table: string;
  /** The condition of a row in the list. */
  readonly condition: string;
  /** The size of a row, an integer: it is computed of the rows of the page and of the one that ends it. */
  readonly size: string;
  /** The parameter of the `seq` that all rows are below; null: the page is the first. */
  readonly before: string;
  /** The parameter of the most rows. */
  readonly count: string;
  /** The parameter of the most that the sizes of all rows but the last may sum up to. */
  readonly mostSize: string;
}

/**
 * SQL of the rows of a page: `with` a CTE, and the rows themselves under the name of their table for `from`, with their
 * `row_size`. There are so many, or as many as have sizes up to the bound and one more: so the last row may be the one
 * that the page ends before. It is never the only one while the list has another. By `offset 0`, rows are found one by
 * one, as no plan can know how many the page has.
 */
export const pageRows = ({ table, condition, size, before, count, mostSize }: PageRows) => ({
  with: `with recursive listed as materialized (
    select array(
      select id from ${table} where ${condition} and (${before}::bigint is null or seq < ${before})
      order by seq desc limit ${count}) as ids),
  page as (
    select null::text as row_id, 0 as row_size, 0 as number, 0::bigint as total
    union all
    select one.id, one.size, number + 1, total + one.size
    from page cross join lateral (
      select id, ${size} as size from ${table} where id = (select ids[number + 1] from listed) offset 0) one
    where number < 2 or total <= ${mostSize})`,
  from: `page cross join lateral (select * from ${table} where id = row_id offset 0) ${table}`,
});
