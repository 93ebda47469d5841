/** Gas that every transaction costs. */
export const TRANSACTION_GAS = 21_000n;

/** A zero byte of calldata (EIP-2028). */
export const ZERO_BYTE_GAS = 4n;
/** Another byte of calldata (EIP-2028). */
export const OTHER_BYTE_GAS = 16n;
/** What a byte of calldata costs at most: the floor of EIP-7623, for transactions that execute next to nothing. */
export const MAX_BYTE_GAS = 40n;

/**
 * What an operation pays, within its `preVerificationGas`, for the work of the EntryPoint outside of the measured parts. The number
 * is the one of eth-infinitism's bundler.
 */
export const PAID_OPERATION_OVERHEAD_GAS = 18_300n;
/**
 * What the gas limit of a transaction leaves to the EntryPoint for each operation, for instance for its event. It is more than what is
 * paid, because a limit that is too low reverts all operations of the transaction, and gas that is not used costs nothing.
 */
export const MAX_OPERATION_OVERHEAD_GAS = 50_000n;
