/** Before every key of a list that is ordered by time and id. */
export const FIRST_KEY: readonly string[] = ['-infinity', ''];
