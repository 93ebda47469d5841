import { spawnSync } from 'node:child_process';
import { installTools } from '../build/tools.mjs';
import { runsKubectl, unpackKubectl } from '../kubernetes/unpack-kubectl.mjs';
import { runTool } from '../processes/tool.mjs';

/** @import { Command } from './define-command.mjs' */

/** Hands everything on, also `--help`. @type {Command} */
export const kubectlCommand = {
  name: 'kubectl',
  summary: 'runs a kubectl of a pinned version, fetched when it is used for the first time',
  run: (args) =>
    runTool(async (children) => {
      if (!runsKubectl)
        throw new Error('This kubectl is for x86-64 Linux only: install one of 1.32 or newer.');
      await installTools(children, ['kubectl']);
      return spawnSync(unpackKubectl(), args, { stdio: 'inherit' }).status ?? 1;
    }),
};
