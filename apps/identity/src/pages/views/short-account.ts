const SHOWN = 6;
const TAIL = 4;

/** An account as people recognise it: `0x7099…79C8` of a CAIP-10 id. */
export function shortAccount(account: string): string {
  const address = account.slice(account.lastIndexOf(':') + 1);
  return `${address.slice(0, SHOWN)}…${address.slice(-TAIL)}`;
}
