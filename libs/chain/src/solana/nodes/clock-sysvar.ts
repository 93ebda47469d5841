/** The account in which a cluster keeps its time (https://solana.com/docs/core/accounts#sysvar-accounts). */
export const CLOCK_ADDRESS = 'SysvarC1ock11111111111111111111111111111111';
const UNIX_TIMESTAMP_OFFSET = 32;
const CLOCK_BYTES = 40;

/** The time of the newest slot in seconds since 1970; undefined if the data is not the clock's. */
export function parseClockTime(data: Uint8Array): number | undefined {
  if (data.length !== CLOCK_BYTES) return undefined;
  return Number(new DataView(data.buffer, data.byteOffset).getBigInt64(UNIX_TIMESTAMP_OFFSET, true));
}
