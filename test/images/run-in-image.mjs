// Runs the command of an image as its process 1, as user 1000, on its file system, which cannot be written; with the environment
// of this process: TEST_IMAGE_ROOT=<mounted image> node run-in-image.mjs [<command> …]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

const { TEST_IMAGE_ROOT: root = '', TEST_IMAGE: inspected = '', ...env } = process.env;
// The options name files of this machine.
delete env.NODE_OPTIONS;
delete env.NODE_EXTRA_CA_CERTS;
const image = /** @type {{ Docker: { config: { Entrypoint: string[], Env: string[], User: string } } }} */ (
  JSON.parse(readFileSync(inspected, 'utf8'))
);
const { Entrypoint, Env, User } = image.Docker.config;
const own = process.argv.slice(2);
const command = own.length > 0 ? own : Entrypoint;

const MOUNT = `
  mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" &&
  mount -t proc proc "$1/proc" && mount -t tmpfs -o size=64m,mode=1777 tmpfs "$1/tmp" || exit 125
  exec chroot --userspec="$2" "$1" "\${@:3}"`;
const unshare = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child=SIGKILL'];
const ofImage = Object.fromEntries(
  Env.map((line) => {
    const at = line.indexOf('=');
    return /** @type {const} */ ([line.slice(0, at), line.slice(at + 1)]);
  }),
);
const child = spawn('unshare', [...unshare, 'bash', '-c', MOUNT, 'bash', root, User, ...command], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...ofImage, ...env, PATH: ofImage.PATH },
});

/** Signals go to the process of the image, because unshare passes none on. */
for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    const [first] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
    process.kill(Number(first), signal);
  });
process.on('disconnect', () => child.kill('SIGKILL'));
child.on('exit', (code, signal) =>
  process.exit(code ?? (signal === null ? 1 : 128 + constants.signals[signal])),
);
