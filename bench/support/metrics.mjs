/**
 * The sum of a metric over all its labels, from an app's management port.
 * @param {number} managementPort
 * @param {string} name
 */
export async function readMetric(managementPort, name) {
  const text = await (await fetch(`http://127.0.0.1:${managementPort}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}
