// Figures of its replicas that the row of a stream keeps.

/** Figures to keep in a stream's row, as the JSON that agents stored; null keeps those that the row has. */
export interface KeptFigures {
  readonly primary: string | null;
  readonly backup: string | null;
}

/** SQL expression: the reported figures, unless the row has newer ones. */
export const newerFigures = (reported: string, kept: string) =>
  `case when ${reported} is null or ${reported} ->> 'sampledAt' < ${kept} ->> 'sampledAt'
     then ${kept} else ${reported} end`;
