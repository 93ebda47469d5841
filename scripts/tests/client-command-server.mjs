import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 30_000;

/**
 * Starts the process in which tests run the command for client applications.
 * @param {import('../processes/children.mjs').Children} children
 * @param {string} root
 * @param {string} folder of the socket
 * @returns {Promise<string>} the path of its Unix socket
 */
export async function startClientCommandServer(children, root, folder) {
  const socket = join(folder, `client-commands.sock`);
  const program = join(root, 'test/support/client-command-server.mjs');
  const child = children.startApp('client-commands', [program, socket], { PATH: process.env.PATH });
  const deadline = Date.now() + START_MS;
  while (!existsSync(socket)) {
    if (child.process.exitCode !== null || Date.now() > deadline)
      throw new Error(`The server of client commands does not start: ${child.logFile}`);
    await sleep(20);
  }
  return socket;
}
