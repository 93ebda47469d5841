// The kubectl of the development dependencies: npm run --silent kubectl -- kustomize k8s/overlays/production
import { spawnSync } from 'node:child_process';
import { unpackKubectl } from './kubernetes/unpack-kubectl.mjs';

try {
  const { status } = spawnSync(unpackKubectl(), process.argv.slice(2), { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
