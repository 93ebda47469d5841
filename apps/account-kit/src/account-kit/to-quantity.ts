/** Existing clients read numbers; what a JSON number cannot hold exactly is decimal text. */
export const toQuantity = (amount: bigint): number | string =>
  amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : String(amount);
