import { createServer } from 'node:net';
import { codeOf } from './error-facts.mjs';
import { portOwner } from './port-owner.mjs';

/**
 * Checks the ports before anything starts.
 * @param {{ name: string, port: number, variable: string }[]} wanted
 * @returns {Promise<string[]>} a line for each port that is taken: by whom, and which variable moves it
 */
export async function takenPorts(wanted) {
  const problems = [];
  for (const { name, port, variable } of wanted) {
    if (await isFree(port)) continue;
    const owner = portOwner(port);
    problems.push(
      `Port ${port} (${name}) is taken by ${owner ?? 'another program'}. Choose another: ${variable}=<port>`,
    );
  }
  return problems;
}

/**
 * @param {number} port
 * @returns {Promise<boolean>} also false when only [::1] is taken, where `localhost` may lead a browser first
 */
export async function isFree(port) {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'));
}

/** @param {number} port @param {string} host @returns {Promise<boolean>} */
function canListen(port, host) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      const code = codeOf(error);
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') resolve(true); // no IPv6 here
      else if (code === 'EADDRINUSE') resolve(false);
      else if (code === 'EACCES')
        reject(new Error(`Port ${port} needs rights that you do not have. Choose one above 1023.`));
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () =>
      server.close(() => {
        resolve(true);
      }),
    );
  });
}

const FIRST = 12_000;
const LAST = 31_999; // the system gives away the ports above by itself, to any connection that goes out
let next = FIRST + ((process.pid * 397) % (LAST - FIRST));

/** @returns {Promise<number>} a port that is free now; two calls never get the same, two processes start far apart */
export async function freePort() {
  for (let tries = 0; tries <= LAST - FIRST; tries += 1) {
    const port = next;
    next = next === LAST ? FIRST : next + 1;
    if (await isFree(port)) return port;
  }
  throw new Error('No port is free');
}
