/** Before every key of a list that is ordered by time and id. */
export const FIRST: readonly string[] = ['-infinity', ''];
