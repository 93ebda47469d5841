// The least that calling back costs: undici posts the bodies, within the bounds that Gatehouse keeps by default.
import { Agent } from 'undici';
import { answerAsks } from './asks.mjs';

const AT_ONCE = 256;
const CONNECTIONS = 16;
const TIMEOUT_MS = 10_000;
const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });

/** @param {{ url: string, body: string }} options */
async function post({ url, body }) {
  const { origin, pathname } = new URL(url);
  const { statusCode, body: answer } = await agent.request({
    origin,
    path: pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await answer.dump();
  if (statusCode !== 204) throw new Error(`${url} answered ${statusCode}`);
}

answerAsks({
  /** @param {{ url: string, body: string }[]} posts @returns {Promise<number>} milliseconds of CPU that it took */
  async send(posts) {
    const before = process.cpuUsage();
    const left = posts.values();
    const sender = async () => {
      for (const one of left) await post(one);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  },
});
