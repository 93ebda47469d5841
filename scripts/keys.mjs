import { spawnSync } from 'node:child_process';
import { bundleOf } from './local/bundle.mjs';
import { localEnvironment } from './local/local-environment.mjs';
import { local, root } from './local/project.mjs';
import { loadSecrets } from './local/secrets.mjs';

const args = process.argv.slice(2);
try {
  const command = bundleOf(root, 'account-kit', 'keys.command.js');
  process.exitCode =
    spawnSync(process.execPath, [command, ...args], { stdio: 'inherit', env: environment() }).status ?? 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** The root of the local profile is for its own database only. */
function environment() {
  if (args.includes('--help') || process.env.DATABASE_URL) return process.env;
  return { ACCOUNT_KEY_SECRET: loadSecrets(local).accountKeySecret, ...localEnvironment() };
}
