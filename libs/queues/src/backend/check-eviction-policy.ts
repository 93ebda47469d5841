/**
 * A Redis that evicts keys when it is full loses jobs without a word: such a one is not used.
 * @param info the answer to INFO memory
 */
export function checkEvictionPolicy(info: string): void {
  const policy = /^maxmemory_policy:(.*)$/m.exec(info)?.[1]?.trim();
  if (policy !== 'noeviction')
    throw new Error(
      `Redis would evict jobs: its maxmemory-policy is ${policy ?? 'not told'}, not noeviction`,
    );
}
