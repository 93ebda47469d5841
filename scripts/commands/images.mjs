// Builds the images, or the named ones. Each holds the list of its packages at /app/sbom.cdx.json, and dist/images has a copy of it:
//   npm run images -- [--tool docker] [--registry registry.example.com/team] [--tag <tag>] [--platform linux/amd64,linux/arm64] [gateway …]
// --tool is docker, podman or buildah. NODE_IMAGE names another base image.
import { join } from 'node:path';
import { prepareBuild, prepareDependencies } from '../suite/bring-up.mjs';
import { createProgress } from '../processes/progress.mjs';
import { root } from '../build/project.mjs';
import { runTool } from '../processes/tool.mjs';
import { buildImages } from '../images/build-images.mjs';
import { parseImageOptions } from '../images/image-options.mjs';

process.exitCode = await runTool(async (children) => {
  const options = parseImageOptions(process.argv.slice(2), process.env);
  await buildImages(children, root, options);
  const progress = createProgress(process.stderr);
  await prepareDependencies({ children, progress });
  await prepareBuild({ children, progress });
  // The module reads packages.
  const { writeSboms } = await import('../images/write-sboms.mjs');
  for (const file of writeSboms(root, options.targets, join(root, 'dist/images')))
    process.stdout.write(`${file}\n`);
});
