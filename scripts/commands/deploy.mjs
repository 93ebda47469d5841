import { DEPLOY_FLAGS, parseDeployOptions } from '../kubernetes/deploy-options.mjs';
import { defineCommand } from './define-command.mjs';

export const deployCommand = defineCommand({
  name: 'deploy',
  summary: 'applies migrations, then an overlay (a folder of k8s/overlays, or a path), one app after another',
  positionals: '<overlay>',
  flags: DEPLOY_FLAGS,
  run: async (args) => {
    const options = parseDeployOptions(args);
    const { deploy } = await import('../kubernetes/deploy.mjs');
    await deploy(options);
  },
});
