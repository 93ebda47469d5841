import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';

const COUNT = 60_000;

/**
 * Makes checksummed addresses before a measurement: an address takes longer to make than a fast server takes to answer.
 * @returns {() => string} the next address; one is repeated after 60,000 others, which is more than a round asks for
 */
export function freshAccounts() {
  const addresses = Array.from({ length: COUNT }, () => getAddress(`0x${randomBytes(20).toString('hex')}`));
  let next = 0;
  return () => addresses[next++ % COUNT] ?? '';
}
