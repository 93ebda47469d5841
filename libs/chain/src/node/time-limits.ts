/** The time that a check has, with all that it depends on (contract.md section 5). The reads of chains end with it. */
export const CHECK_TIMEOUT_MS = 10_000;

/** The default time of one request to one node: less than half of a check, which leaves time for a second node. */
export const DEFAULT_NODE_TIMEOUT_MS = 0.4 * CHECK_TIMEOUT_MS;

/** The default time of connecting to a node. */
export const DEFAULT_NODE_CONNECT_TIMEOUT_MS = 2_000;
