import { spawnSync } from 'node:child_process';
import { createClientCommand } from '../demo/demo-client.mjs';
import { messageOf } from '../processes/error-facts.mjs';
import { localEnvironment } from '../suite/local-environment.mjs';
import { root } from '../build/project.mjs';

const args = process.argv.slice(2);
try {
  const env = args.includes('--help') ? process.env : localEnvironment();
  const { status } = spawnSync(process.execPath, [createClientCommand(root), ...args], {
    stdio: 'inherit',
    env,
  });
  process.exitCode = status ?? 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
