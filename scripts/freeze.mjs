import { spawnSync } from 'node:child_process';
import { bundleOf } from './local/bundle.mjs';
import { localEnvironment } from './local/local-environment.mjs';
import { root } from './local/project.mjs';

const args = process.argv.slice(2);
try {
  const env = args.includes('--help') ? process.env : localEnvironment();
  const command = bundleOf(root, 'account-kit', 'freeze.command.js');
  process.exitCode = spawnSync(process.execPath, [command, ...args], { stdio: 'inherit', env }).status ?? 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
