// Runs the operator's command for client applications in one process, request by request: `POST` with `{ env, args }`
// answers `{ code, stdout, stderr }`. A process of its own for each of some 180 client applications would cost minutes.
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { importBuilt } from '../../scripts/build/import-built.mjs';

/** @import { IncomingMessage } from 'node:http' */

const { runClientCommand } = /** @type {typeof import('../../apps/identity/src/run-client-command.js')} */ (
  await importBuilt('apps/identity/src/run-client-command.js')
);
const [socket = ''] = process.argv.slice(2);
const ownEnv = { ...process.env };
/** @type {Promise<unknown>} */
let last = Promise.resolve();

// Commands run one at a time: the command reads `process.env` and writes to the process's own output.
const server = createServer((request, response) => {
  last = last
    .then(() => answer(request))
    .then((body) => response.end(JSON.stringify(body)))
    .catch((/** @type {unknown} */ error) =>
      response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
    );
});

/** @param {IncomingMessage} request */
async function answer(request) {
  const chunks = /** @type {Buffer[]} */ (await request.toArray());
  const { env, args } = /** @type {{ env: NodeJS.ProcessEnv, args: string[] }} */ (
    JSON.parse(Buffer.concat(chunks).toString())
  );
  const written = { stdout: '', stderr: '' };
  const originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const stream of /** @type {const} */ (['stdout', 'stderr']))
    process[stream].write = (/** @type {string | Uint8Array} */ text) => {
      written[stream] += String(text);
      return true;
    };
  replaceEnv({ ...env, PATH: ownEnv.PATH });
  try {
    return { code: await runClientCommand(args), ...written };
  } finally {
    Object.assign(process.stdout, { write: originals.stdout });
    Object.assign(process.stderr, { write: originals.stderr });
    replaceEnv(ownEnv);
  }
}

/** @param {NodeJS.ProcessEnv} env */
function replaceEnv(env) {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
}

rmSync(socket, { force: true });
server.listen(socket);
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
