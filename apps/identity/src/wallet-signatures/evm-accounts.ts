/** Placeholder in a sign-in message that names no account (contract.md section 4). Nobody can sign for it. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** Chain of an externally owned account when the request names none: its key is the same on every chain. */
export const DEFAULT_CHAIN_ID = 1;
