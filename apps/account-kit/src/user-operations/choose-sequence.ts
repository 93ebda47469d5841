/**
 * The next sequence number of a lane: the first that no operation has. An operation that was rejected before it
 * was signed leaves a gap, which must be filled before the operations after it can run.
 * @param next sequence number that the EntryPoint expects
 * @param taken sequence numbers of the lane's operations
 */
export function chooseSequence(next: bigint, taken: readonly bigint[]): bigint {
  const all = new Set(taken);
  let sequence = next;
  while (all.has(sequence)) sequence += 1n;
  return sequence;
}
