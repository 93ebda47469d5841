// Runs the operator's command for client applications in one process, request by request: `POST` with `{ env, args }`
// answers `{ code, stdout, stderr }`. A process of its own for each of some 180 client applications would cost minutes.
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { runClientCommand } from '../../dist/apps/identity/src/run-client-command.js';

const [socket] = process.argv.slice(2);
const ownEnv = { ...process.env };
let last = Promise.resolve();

// One at a time: the command reads `process.env` and writes to the process's own output.
const server = createServer((request, response) => {
  last = last
    .then(() => answer(request))
    .then((body) => response.end(JSON.stringify(body)))
    .catch((error) => response.writeHead(500).end(error.stack));
});

async function answer(request) {
  const chunks = await request.toArray();
  const { env, args } = JSON.parse(Buffer.concat(chunks).toString());
  const written = { stdout: '', stderr: '' };
  const originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const stream of ['stdout', 'stderr'])
    process[stream].write = (text) => {
      written[stream] += text;
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

function replaceEnv(env) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

rmSync(socket, { force: true });
server.listen(socket);
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
