export const KIB = 1_024;
export const MIB = 1_024 * KIB;

/** Bounds of custom actions (contract.md section 10). */
export const ACTION_LIMITS = {
  timeoutMs: 2_000,
  memoryBytes: 64 * MIB,
  /** Stack of calls inside the action. Deeper calls would exhaust the stack of the worker thread. */
  stackBytes: 256 * KIB,
  /** `ipfs add` puts as much in one block. */
  sourceBytes: 256 * KIB,
  paramsBytes: 64 * KIB,
  resultBytes: 64 * KIB,
  resultDepth: 32,
  signatures: 16,
  signedBytes: 16 * KIB,
  messageLength: 500,
} as const;

/** Actions that run at the same time in one process, of all tenants together. */
export const MAX_RUNNING_ACTIONS = 2;
export const MAX_RUNNING_PER_TENANT = 1;
export const MAX_WAITING_PER_TENANT = 8;
/** An action that waited longer is not run, because its client has probably given up. */
export const MAX_WAIT_MS = 10_000;

/** Bounds of the list of one client application. */
export const MAX_LISTED_ACTIONS = 50;
export const MAX_LISTED_BYTES = 2 * MIB;
