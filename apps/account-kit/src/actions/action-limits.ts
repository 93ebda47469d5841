/** Bounds of custom actions (contract.md section 10). */
export const ACTION_LIMITS = {
  timeoutMs: 2_000,
  memoryBytes: 64 * 1_024 * 1_024,
  /** Of calls inside the action. Deeper calls would exhaust the stack of the worker thread. */
  stackBytes: 256 * 1_024,
  /** `ipfs add` puts as much in one block. */
  sourceBytes: 256 * 1_024,
  paramsBytes: 64 * 1_024,
  resultBytes: 64 * 1_024,
  resultDepth: 32,
  signatures: 16,
  signedBytes: 16 * 1_024,
  messageLength: 500,
} as const;

/** Of all tenants together, in one process. */
export const MAX_RUNNING_ACTIONS = 2;
export const MAX_WAITING_PER_TENANT = 8;
/** An action that waited longer is not run, because its client has probably given up. */
export const MAX_WAIT_MS = 10_000;

/** Of the list of one client application. */
export const MAX_LISTED_ACTIONS = 50;
export const MAX_LISTED_BYTES = 2 * 1_024 * 1_024;
