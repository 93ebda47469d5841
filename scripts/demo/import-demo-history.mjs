import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOf } from '../build/bundle.mjs';
import { inventHistory } from './demo-history.mjs';
import { gatewayCaller } from './gateway-caller.mjs';

/** @import { Children } from '../processes/children.mjs' */

/**
 * Gives the demo community a past in analytics, marked as demo. A repeated import changes nothing.
 * @param {object} options
 * @param {Children} options.children
 * @param {string} options.root
 * @param {string} options.local
 * @param {NodeJS.ProcessEnv} options.env of analytics
 * @param {Pick<import('./demo-client.mjs').Demo, 'gatewayUrl' | 'apiKey' | 'chainId'>} options.demo
 * @param {string} options.communityId
 */
export async function importDemoHistory({ children, root, local, env, demo, communityId }) {
  const client = gatewayCaller(demo.gatewayUrl, { 'X-API-Key': demo.apiKey });
  /** @type {{ createdTime: string }} */
  const { createdTime } = await client('GET', `/communities/${communityId}`);
  const events = inventHistory({ communityId, chainId: demo.chainId, until: Date.parse(createdTime) });
  const file = join(local, 'demo-history.ndjson');
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const command = bundleOf(root, 'analytics', 'analytics.command.js');
  const args = [command, 'backfill', '--community', communityId, '--file', file];
  await children.run('demo-history', process.execPath, args, { env });
  rmSync(file);
}
