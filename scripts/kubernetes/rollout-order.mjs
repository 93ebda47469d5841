/** Apps that read an event or answer a request are new before those that send it (docs/operations.md, "Upgrade"). */
export const ROLLOUT_ORDER = ['analytics', 'identity', 'token-gating', 'account-kit', 'gateway'];
