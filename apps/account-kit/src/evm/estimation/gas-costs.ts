/** Gas that every transaction costs. */
export const TRANSACTION_GAS = 21_000n;
/** Gas of one transaction. Ethereum refuses more than 16,777,216 (EIP-7825). */
export const MAX_TRANSACTION_GAS = 16_000_000;
/** Gas limit of `handleOps` without operations, which takes about 40,000. */
export const EMPTY_TRANSACTION_GAS = 100_000n;

/** A zero byte of calldata (EIP-2028). */
export const ZERO_BYTE_GAS = 4n;
/** Another byte of calldata (EIP-2028). */
export const OTHER_BYTE_GAS = 16n;
/** A zero byte of calldata, at least: the floor of EIP-7623, for transactions that execute little beside it. */
export const FLOOR_ZERO_BYTE_GAS = 10n;
/** Another byte of calldata, at least (EIP-7623). */
export const FLOOR_OTHER_BYTE_GAS = 40n;

/**
 * Gas that the least operation of a version pays beside its `preVerificationGas`: validation and execution of a deployed account that
 * calls an account without code and pays from its deposit at the EntryPoint. Measured on anvil 1.7.1, hardfork prague: 36,460 gas for
 * 0.7 and 33,658 for 0.8; behind another operation of the account 15,537 and 12,476, and then a transaction's 21,000 are paid twice.
 */
export const LEAST_EXECUTED_GAS = { '0.7': 36_000n, '0.8': 33_000n } as const;

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
