export interface MeasuredBurst<T> {
  result: T;
  /**
   * The highest number of windows of one second that the burst can have used. A sliding window admits its limit at once,
   * and as many again for each second that passes: between `limit` and `limit * windows`, exactly `limit` on a fast machine.
   */
  windows: number;
}

export async function measureBurst<T>(burst: () => Promise<T>): Promise<MeasuredBurst<T>> {
  const startMs = performance.now();
  const result = await burst();
  return { result, windows: 1 + Math.floor((performance.now() - startMs) / 1_000) };
}
