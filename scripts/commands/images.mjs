import { join } from 'node:path';
import { root } from '../build/project.mjs';
import { IMAGE_FLAGS, parseImageOptions } from '../images/image-options.mjs';
import { createProgress } from '../processes/progress.mjs';
import { runTool } from '../processes/tool.mjs';
import { defineCommand } from './define-command.mjs';

export const imagesCommand = defineCommand({
  name: 'images',
  summary:
    'builds the images, or the named ones, with lists of their packages; NODE_IMAGE names another base',
  positionals: '[gateway …]',
  flags: IMAGE_FLAGS,
  run: (args) => {
    const options = parseImageOptions(args, process.env);
    return runTool(async (children) => {
      const { buildImages } = await import('../images/build-images.mjs');
      await buildImages(children, root, options);
      const progress = createProgress(process.stderr);
      const { prepareBuild, prepareDependencies } = await import('../suite/bring-up.mjs');
      await prepareDependencies({ children, progress });
      await prepareBuild({ children, progress });
      // It reads packages.
      const { writeSboms } = await import('../images/write-sboms.mjs');
      for (const file of writeSboms(root, options.targets, join(root, 'dist/images')))
        process.stdout.write(`${file}\n`);
    });
  },
});
