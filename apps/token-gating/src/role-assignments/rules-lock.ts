/** Shared: the rules and the list of roles stay what they are until the transaction ends. Members come and go meanwhile. */
export const SHARE_RULES = `
  SELECT rules_revision AS "rulesRevision" FROM token_gating.communities WHERE id = $1 FOR KEY SHARE`;

/** Alone: what is judged by the rules of before is stored by then, or never. */
export const OWN_RULES = 'SELECT FROM token_gating.communities WHERE id = $1 FOR UPDATE';
