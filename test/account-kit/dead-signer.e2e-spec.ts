import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startAccountKitSuite, type AccountKitSuite } from './account-kit-suite.js';

let kit: AccountKitSuite;

beforeAll(async () => {
  // The instance serves on after its signer has died, as in a cluster, where others take over meanwhile.
  kit = await startAccountKitSuite({ SHUTDOWN_DELAY_MS: '4000' });
});

afterAll(() => kit.stop());

const PATH = '/accountkit/v2/evm/calculateAccountAddress';

it('T246: signer process: account-kit whose signer process dies answers the requests in flight and exits with 1', async () => {
  const { process: app } = kit.suite.app('account-kit');
  const pid = String(app.pid);
  const [signerPid] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  if (!signerPid) throw new Error('account-kit has no signer process');
  const exited = once(app, 'exit');
  const request = (index: number) =>
    kit.call(PATH, {
      method: 'POST',
      body: { platform: 'chat', userId: `${index}` },
      headers: { 'X-BOT-TOKEN': kit.platforms.botToken(`${index}`) },
    });
  const before = Array.from({ length: 50 }, (_, index) => request(70_000 + index));
  process.kill(signerPid, 'SIGKILL');
  const during = Array.from({ length: 50 }, (_, index) => request(80_000 + index));
  const statuses = (await Promise.all([...before, ...during])).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(statuses).toContain(503);
  expect(await exited).toEqual([1, null]);
});
